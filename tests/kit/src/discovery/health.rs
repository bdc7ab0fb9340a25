//! Health endpoints: an in-process server that responds is healthy.

use super::answer::{Answer, Ask, TEXT};

const ENDPOINTS: [&str; 3] = ["healthz", "livez", "readyz"];
/// The only health check: the server responds.
const CHECK: &str = "ping";

/// The response if the path is a health endpoint, for any method.
pub(super) fn answer(ask: &Ask<'_>) -> Option<Answer> {
    let mut segments = ask.path.strip_prefix('/')?.split('/');
    let endpoint = segments.next().filter(|name| ENDPOINTS.contains(name))?;
    let body = match (segments.next(), segments.next()) {
        (None, _) if is_verbose(ask.query) => format!("[+]{CHECK} ok\n{endpoint} check passed\n"),
        (None, _) | (Some(CHECK), None) => "ok".to_owned(),
        _ => return None,
    };
    Some(Answer::new(200, TEXT, body))
}

fn is_verbose(query: &str) -> bool {
    query.split('&').any(|part| part == "verbose" || part.starts_with("verbose="))
}
