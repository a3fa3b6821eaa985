//! What a person may type about the admin endpoint.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

/// Where the admin endpoint answers, and to whom. Its token is never typed, since every user of the
/// machine can see what is.
#[derive(Debug, Args)]
pub(crate) struct AdminArguments {
    /// Answer at this address while it runs: dashboard, status, commands, metrics and health. An
    /// address that other machines reach needs a token
    #[arg(long, value_name = "ADDRESS", value_parser = address)]
    pub(crate) admin: Option<SocketAddr>,
    /// The file that holds the admin token; without it the variable PROJECTIONIST_ADMIN_TOKEN is
    /// looked at
    #[arg(long, value_name = "FILE", requires = "admin")]
    pub(crate) admin_token_file: Option<PathBuf>,
    /// A host name under which the admin endpoint is reached, besides localhost and addresses
    #[arg(long, value_name = "NAME", value_delimiter = ',', requires = "admin")]
    pub(crate) admin_host: Vec<String>,
    /// Push metrics to the collector of OpenTelemetry at this address, such as
    /// http://localhost:4318; only in builds with the feature `otlp`
    #[arg(long, value_name = "URL")]
    pub(crate) otlp: Option<String>,
}

fn address(text: &str) -> Result<SocketAddr, String> {
    let text = text.replace("localhost:", "127.0.0.1:");
    text.parse()
        .map_err(|_| "is no address; write 127.0.0.1:9090".to_owned())
}
