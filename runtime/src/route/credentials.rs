//! The headers of a request that a function may read: all but its credentials.

use http::{HeaderMap, HeaderName};

/// Headers that contain credentials, or that an intermediate server sets for an authenticated user.
const SECRET: [&str; 4] = ["authorization", "cookie", "proxy-authorization", "sec-websocket-protocol"];
const SECRET_STARTS: [&str; 2] = ["impersonate-", "x-remote-"];

/// The headers that a function may read, as texts.
pub(super) fn readable(headers: &HeaderMap) -> Vec<(String, String)> {
    let plain = headers.iter().filter(|(name, _)| !is_secret(name));
    plain.filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned()))).collect()
}

fn is_secret(name: &HeaderName) -> bool {
    SECRET.contains(&name.as_str()) || SECRET_STARTS.iter().any(|start| name.as_str().starts_with(start))
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn headers(values: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in values {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn functions_read_no_credentials() {
        let all = headers(&[
            ("authorization", "Bearer a"),
            ("cookie", "b"),
            ("proxy-authorization", "c"),
            ("sec-websocket-protocol", "d"),
            ("impersonate-user", "e"),
            ("x-remote-group", "f"),
            ("accept", "text/plain"),
        ]);
        assert_eq!(readable(&all), [("accept".to_owned(), "text/plain".to_owned())]);
    }
}
