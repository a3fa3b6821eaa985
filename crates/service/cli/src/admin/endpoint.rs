//! Starts the admin endpoint before the projections, and stops it behind them.

use std::sync::Arc;
use std::time::Duration;

use projectionist_admin_api::{AdminConfig, AdminDesk, AdminServer, AdminToken, Page};
use projectionist_telemetry::Exporter;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::metrics::Metrics;
use crate::args::admin::AdminArguments;
use crate::exit::Failure;
use crate::output::tell;

/// The variable that holds the token where no file is named.
const TOKEN_VARIABLE: &str = "PROJECTIONIST_ADMIN_TOKEN";

/// How long open answers may take to end when the program does.
const LAST_ANSWERS: Duration = Duration::from_secs(2);

/// The endpoint, bound to its address and not answering yet.
pub(crate) struct Endpoint {
    server: AdminServer,
    metrics: Option<Exporter>,
}

/// The endpoint while it answers.
pub(crate) struct Answering {
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Endpoint {
    /// Binds the endpoint, where one is asked for. It shows these metrics.
    pub(crate) async fn open(
        arguments: &AdminArguments,
        metrics: &Metrics,
    ) -> Result<Option<Self>, Failure> {
        let Some(address) = arguments.admin else {
            return Ok(None);
        };
        let mut config = AdminConfig::at(address);
        config.token = token(arguments)?;
        config.hosts.clone_from(&arguments.admin_host);
        config
            .check()
            .map_err(|error| Failure::usage(error.to_string()))?;
        let server = AdminServer::bind(config).await?;
        let metrics = metrics.exporter.clone();
        Ok(Some(Self { server, metrics }))
    }

    /// Answers from now on.
    pub(crate) fn answer(self, desk: impl AdminDesk) -> Answering {
        let Self { server, metrics } = self;
        tell(format_args!(
            "the admin endpoint answers at http://{}/",
            server.address()
        ));
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async {
                let _ = stopped.await;
            };
            let desk = Arc::new(desk);
            server.serve(desk, metrics, page, stopped).await;
        });
        Answering { stop, task }
    }
}

impl Answering {
    /// Lets open answers end, but not for long.
    pub(crate) async fn stop(self) {
        let _ = self.stop.send(());
        let _ = tokio::time::timeout(LAST_ANSWERS, self.task).await;
    }
}

fn token(arguments: &AdminArguments) -> Result<Option<AdminToken>, Failure> {
    let text = match &arguments.admin_token_file {
        Some(file) => {
            let text = std::fs::read_to_string(file).map_err(|error| {
                let file = file.display();
                Failure::usage(format!("cannot read the admin token file {file}: {error}"))
            })?;
            Some(text)
        }
        None => match std::env::var(TOKEN_VARIABLE) {
            Ok(text) => Some(text),
            Err(std::env::VarError::NotPresent) => None,
            Err(std::env::VarError::NotUnicode(_)) => {
                let message = format!("{TOKEN_VARIABLE} is no text");
                return Err(Failure::usage(message));
            }
        },
    };
    let token = text.map(|text| AdminToken::new(&text)).transpose();
    token.map_err(Failure::usage)
}

fn page(path: &str) -> Option<Page> {
    projectionist_dashboard::asset(path).map(|asset| Page {
        content_type: asset.content_type,
        body: asset.body,
    })
}
