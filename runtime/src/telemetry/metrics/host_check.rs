//! Check of the host name in requests: prevents DNS rebinding by web pages.

use std::net::IpAddr;

use axum::extract::State;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Request, StatusCode, header};

/// The response to a request for another host name.
const REFUSAL: &str =
    "this host name is not allowed: use the address, localhost, or a name that is internal to the cluster\n";

/// Top-level names that do not exist in public DNS.
const PRIVATE: [&str; 5] = ["localhost", "svc", "pod", "local", "internal"];

/// Refuses requests for another host name. `local` is whether the listener has a loopback address.
pub(super) async fn refuse_foreign(State(local): State<bool>, request: axum::extract::Request, next: Next) -> Response {
    match is_ours(&request, local) {
        true => next.run(request).await,
        false => (StatusCode::MISDIRECTED_REQUEST, REFUSAL).into_response(),
    }
}

/// Whether the host of the request is allowed. A listener on a loopback address accepts loopback addresses and `localhost`. Any other
/// listener accepts all IP addresses, which probes and scrapers use, and cluster names. A foreign web page can only send its own host name.
/// A request without a host does not come from a browser.
fn is_ours<B>(request: &Request<B>, local: bool) -> bool {
    let named = request.headers().get(header::HOST).map(HeaderValue::to_str);
    let host = match (request.uri().host(), named) {
        (Some(host), _) => host,
        (None, Some(Ok(named))) => without_port(named),
        (None, Some(Err(_))) => return false,
        (None, None) => return true,
    };
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<IpAddr>() {
        Ok(address) => !local || address.is_loopback(),
        Err(_) => is_private(host.trim_end_matches('.'), local),
    }
}

/// Strips the port from `localhost:8080` and `[::1]:8080`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

fn is_private(name: &str, local: bool) -> bool {
    let (first, last) = name.rsplit_once('.').map_or(("", name), |(first, last)| (first, last));
    if local {
        return last.eq_ignore_ascii_case("localhost");
    }
    (first.is_empty() && !last.is_empty()) || PRIVATE.iter().any(|end| last.eq_ignore_ascii_case(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(host: &str, local: bool) -> bool {
        is_ours(&Request::builder().uri("/metrics").header(header::HOST, host).body(()).unwrap(), local)
    }

    #[test]
    fn a_listener_of_this_machine_answers_under_its_loopback_names_alone() {
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.:1",
            "a.localhost",
            "127.0.0.1:9",
            "127.8.9.1",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(told(host, true), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.nip.io",
            "10.0.0.1",
            "x",
            "op.apps.svc",
            "",
        ] {
            assert!(!told(host, true), "{host}");
        }
    }

    #[test]
    fn a_listener_of_a_pod_answers_under_addresses_and_names_of_the_cluster() {
        for host in [
            "10.0.0.1:8080",
            "[fd00::1]:8080",
            "127.0.0.1",
            "localhost:1",
            "op",
            "op.apps.svc:80",
            "op.apps.svc.cluster.local.",
        ] {
            assert!(told(host, false), "{host}");
        }
        for host in ["evil.example", "svc.evil.example:80", "10.0.0.1.nip.io", "", ":80"] {
            assert!(!told(host, false), "{host}");
        }
    }

    #[test]
    fn the_target_of_the_request_counts_before_its_header_and_none_is_no_browser() {
        let request = |uri: &str| Request::builder().uri(uri.to_owned());
        let evil = request("http://evil.example/metrics").header(header::HOST, "localhost");
        assert!(!is_ours(&evil.body(()).unwrap(), true));
        assert!(is_ours(&request("/metrics").body(()).unwrap(), true));
        let text = HeaderValue::from_bytes(b"\xff").unwrap();
        assert!(!is_ours(&request("/metrics").header(header::HOST, text).body(()).unwrap(), false));
    }
}
