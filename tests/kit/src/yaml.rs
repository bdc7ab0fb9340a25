//! Parsing of YAML bodies, and YAML responses for clients that request them.

use axum::body::Body;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderValue, Response};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Error, Options};

const MEDIA: &str = "application/yaml";

/// Parses a value. For a duplicate key, it uses the last value and also returns a message.
pub(crate) fn read(bytes: &[u8]) -> Result<(Value, Vec<String>), String> {
    let text = String::from_utf8_lossy(bytes);
    match first(&text, DuplicateKeyPolicy::Error) {
        Ok(value) => Ok((value, Vec::new())),
        Err(Error::DuplicateMappingKey { key, location }) => {
            let value = first(&text, DuplicateKeyPolicy::LastWins).map_err(|error| error.to_string())?;
            let complaint = format!("line {}: key {:?} already set in map", location.line(), key.unwrap_or_default());
            Ok((value, vec![complaint]))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// Parses the first document; returns null if there is none.
fn first(text: &str, duplicate_keys: DuplicateKeyPolicy) -> Result<Value, Error> {
    let mut options = Options::default();
    options.duplicate_keys = duplicate_keys;
    options.legacy_octal_numbers = true;
    options.with_snippet = false;
    serde_saphyr::from_multiple_with_options::<Value>(text, options)
        .map(|documents| documents.into_iter().next().unwrap_or_default())
}

/// Converts a JSON response to YAML. Other responses remain unchanged.
pub(crate) async fn written(response: Response<Body>) -> Response<Body> {
    if response.headers().get(CONTENT_TYPE).is_none_or(|media| media != "application/json") {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
    let value = serde_json::from_slice::<Value>(&bytes).ok();
    let Some(text) = value.and_then(|value| serde_saphyr::to_string(&value).ok()) else {
        return Response::from_parts(parts, Body::from(bytes));
    };
    parts.headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA));
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_is_parsed_as_by_a_real_server() {
        let (value, complaints) = read(b"a: 012\nb: yes\nc: &x [1, ~]\nd: *x\n---\nanother: document\n").unwrap();
        assert_eq!((value, complaints), (json!({"a": 10, "b": true, "c": [1, null], "d": [1, null]}), Vec::new()));
        assert_eq!(read(b"").unwrap().0, Value::Null);
        assert!(read(b"a: [").is_err());
    }

    #[test]
    fn the_last_duplicate_key_counts_and_is_reported() {
        let (value, complaints) = read(b"metadata:\n  name: a\n  name: b\n").unwrap();
        assert_eq!(value, json!({"metadata": {"name": "b"}}));
        assert_eq!(complaints, [r#"line 3: key "name" already set in map"#]);
    }

    #[tokio::test]
    async fn ambiguous_texts_survive_a_round_trip() {
        let texts = [
            "yes",
            "null",
            "~",
            "012",
            "1e3",
            "12:30:45",
            "2026-01-01",
            "- a",
            "a: b",
            "a #b",
            " a",
            "a\nb\n",
            "",
            "=",
            "\u{1}",
        ];
        let value = json!({"texts": texts, "number": 12, "none": null, "empty": {}, "list": []});
        let mut response = Response::new(Body::from(value.to_string()));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let answer = written(response).await;
        assert_eq!(answer.headers()[CONTENT_TYPE], MEDIA);
        let bytes = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
        assert_eq!(read(&bytes).unwrap().0, value);
    }
}
