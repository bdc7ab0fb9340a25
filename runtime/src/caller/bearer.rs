//! The bearer token of a request.

use http::HeaderMap;
use http::header::AUTHORIZATION;

/// The bearer token; `None` without one, or with several.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (only, None) = (given.next()?, given.next()) else { return None };
    let (scheme, token) = only.to_str().ok()?.split_once(' ')?;
    let token = token.trim();
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then_some(token)
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
    fn only_a_single_bearer_token_counts() {
        assert_eq!(bearer(&headers(&[("authorization", "Bearer a.b")])), Some("a.b"));
        assert_eq!(bearer(&headers(&[("authorization", "bearer  a.b ")])), Some("a.b"));
        for value in ["Basic eDp5", "Bearer", "Bearer ", "a.b", ""] {
            assert_eq!(bearer(&headers(&[("authorization", value)])), None, "{value}");
        }
        assert_eq!(bearer(&headers(&[("authorization", "Bearer a"), ("authorization", "Bearer b")])), None);
        assert_eq!(bearer(&HeaderMap::new()), None);
    }
}
