//! Whether the Host header names this endpoint.
//!
//! A page of a foreign site can let its own name point to this machine (DNS rebinding); a browser
//! then takes this endpoint for that site. Its Host header still has the foreign name.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::HOST;

use crate::{AdminConfig, AdminError, ErrorCode};

pub(super) fn check(headers: &HeaderMap, config: &AdminConfig) -> Result<(), AdminError> {
    let mut given = headers.get_all(HOST).iter();
    let (first, second) = (given.next(), given.next());
    let host = first
        .filter(|_| second.is_none())
        .and_then(|value| value.to_str().ok());
    if host.is_some_and(|host| is_ours(host, config)) {
        return Ok(());
    }
    Err(AdminError::new(
        ErrorCode::WrongHost,
        "the Host header names another host",
        "ask by address or as localhost, or allow the name with --admin-host",
    ))
}

/// Whether a browser that was led here by a foreign name cannot have sent this. The port is not
/// looked at: it may be forwarded.
fn is_ours(host: &str, config: &AdminConfig) -> bool {
    let name = without_port(host);
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    if config
        .hosts
        .iter()
        .any(|ours| ours.eq_ignore_ascii_case(name))
    {
        return true;
    }
    // An address is no name that could be led elsewhere. At a loopback address only those count.
    let address = name.trim_start_matches('[').trim_end_matches(']');
    address
        .parse::<IpAddr>()
        .is_ok_and(|address| address.is_loopback() || !config.address.ip().is_loopback())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') && !name.ends_with(':') => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_ours_at(address: &str, host: &str) -> bool {
        let mut config = AdminConfig::at(address.parse().unwrap());
        config.hosts = vec!["Projections.Example".to_owned()];
        is_ours(host, &config)
    }

    #[test]
    fn names_of_this_machine_and_allowed_ones_are_ours() {
        for host in [
            "localhost",
            "LOCALHOST:9090",
            "127.0.0.1:9090",
            "127.0.0.1",
            "[::1]:80",
            "[::1]",
            "projections.example:443",
        ] {
            assert!(is_ours_at("127.0.0.1:9090", host), "{host}");
        }
    }

    #[test]
    fn a_foreign_name_is_refused_and_a_foreign_address_where_only_this_machine_asks() {
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:9090",
            "evil.example:127.0.0.1",
            "10.0.0.5:9090",
            "[2001:db8::1]",
        ] {
            assert!(!is_ours_at("127.0.0.1:9090", host), "{host}");
        }
        assert!(is_ours_at("0.0.0.0:9090", "10.0.0.5:9090"));
        assert!(is_ours_at("[::]:9090", "[2001:db8::1]:9090"));
        assert!(!is_ours_at("0.0.0.0:9090", "evil.example"));
    }
}
