//! Conversion of the results of verbs to HTTP responses.

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};
use serde_json::{Value, json};

use crate::api_error::Failure;
use crate::content_negotiation::{Place, Shape, Subject, View};
use crate::registry::Kind;
use crate::served_version::Lens;
use crate::table::{Heads, Printer};

/// The result of a verb.
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) body: Body,
    pub(crate) warnings: Vec<String>,
    /// The media type; `None` for an empty body.
    media: Option<&'static str>,
}

impl Reply {
    /// One object in the requested form.
    pub(crate) fn object(code: u16, lens: &Lens, object: &Value, shape: Shape) -> Result<Reply, Failure> {
        shape.fits(&lens.kind, Subject::Object)?;
        let object = lens.shown(object);
        let bytes = match shape {
            Shape::Table(form) => encoded(&Printer::new(&lens.kind, form).single(&object, Heads::Shown))?,
            _ => encoded(&View { shape, object: &object, place: Place::Typed })?,
        };
        Ok(Reply::bytes(code, bytes))
    }

    /// An unchanged JSON value.
    pub(crate) fn value(code: u16, value: &Value) -> Reply {
        Reply::bytes(code, value.to_string().into())
    }

    pub(crate) fn bytes(code: u16, bytes: Bytes) -> Reply {
        Reply::stream(code, Body::from(bytes))
    }

    pub(crate) fn stream(code: u16, body: Body) -> Reply {
        Reply { code, body, warnings: Vec::new(), media: Some("application/json") }
    }

    /// Plain text.
    pub(crate) fn text(text: Vec<u8>) -> Reply {
        Reply { media: Some("text/plain"), ..Reply::bytes(200, text.into()) }
    }

    /// A successful response without a body.
    pub(crate) fn empty() -> Reply {
        Reply { media: None, ..Reply::stream(204, Body::empty()) }
    }

    pub(crate) fn warning(mut self, warnings: Vec<String>) -> Reply {
        self.warnings.extend(warnings);
        self
    }

    pub(crate) fn into_response(self) -> Response<Body> {
        let mut response = Response::new(self.body);
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        if let Some(media) = self.media {
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media));
        }
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
        warn(&mut response, &self.warnings);
        response
    }
}

/// The metadata of a list.
pub(crate) struct ListMeta {
    pub(crate) version: u64,
    pub(crate) token: Option<String>,
    pub(crate) remaining: Option<usize>,
    /// The shard selector of the request.
    pub(crate) shards: Option<String>,
}

impl Reply {
    /// A list, serialized without cloning its items.
    pub(crate) fn list(lens: &Lens, shape: Shape, meta: &ListMeta, items: &[Arc<Value>]) -> Result<Reply, Failure> {
        let kind = &lens.kind;
        shape.fits(kind, Subject::List)?;
        if let Shape::Table(form) = shape {
            let objects: Vec<_> = items.iter().map(|item| lens.shown(item)).collect();
            let table = Printer::new(kind, form).table(&meta.of_table(), &objects, Heads::Shown);
            return Ok(Reply::bytes(200, encoded(&table)?));
        }
        let (list_kind, api_version) = shape.list_type(kind);
        let place = if kind.is_builtin() && shape == Shape::Full { Place::Untyped } else { Place::Typed };
        let head = json!({"kind": list_kind, "apiVersion": api_version, "metadata": meta.to_value(kind, shape)});
        let mut out = encoded(&head)?.to_vec();
        out.pop();
        out.extend_from_slice(br#","items":["#);
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            let object = lens.shown(item);
            serde_json::to_writer(&mut out, &View { shape, object: &object, place }).map_err(unwritable)?;
        }
        out.extend_from_slice(b"]}");
        Ok(Reply::bytes(200, out.into()))
    }
}

impl ListMeta {
    fn to_value(&self, kind: &Kind, shape: Shape) -> Value {
        let mut meta = self.of_table();
        // The lists of other forms and kinds do not report that they were filtered.
        if let (Some(shards), Shape::Full, true) = (&self.shards, shape, kind.is_builtin()) {
            meta["shardInfo"] = json!({"selector": shards});
        }
        if self.token.is_none() && !kind.is_builtin() {
            meta["continue"] = json!("");
        }
        meta
    }

    /// Returns the metadata for a table, which omits empty fields for all kinds.
    fn of_table(&self) -> Value {
        let mut meta = json!({"resourceVersion": self.version.to_string()});
        if let Some(token) = &self.token {
            meta["continue"] = json!(token);
        }
        if let Some(remaining) = self.remaining {
            meta["remainingItemCount"] = json!(remaining);
        }
        meta
    }
}

impl Failure {
    pub(crate) fn into_response(self) -> Response<Body> {
        self.into_bytes().map(Body::from)
    }

    pub(crate) fn into_bytes(self) -> Response<Bytes> {
        let (content_type, body) = match self.is_text() {
            true => ("text/plain; charset=utf-8", self.message.clone()),
            false => ("application/json", self.to_status().to_string()),
        };
        let mut response = Response::new(Bytes::from(body));
        *response.status_mut() = StatusCode::from_u16(self.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        warn(&mut response, &self.warnings);
        response
    }
}

fn warn<B>(response: &mut Response<B>, warnings: &[String]) {
    for warning in warnings {
        let quoted = warning.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{quoted}\"")) {
            response.headers_mut().append("Warning", value);
        }
    }
}

/// Serializes a value to JSON.
pub(crate) fn encoded(value: &impl serde::Serialize) -> Result<Bytes, Failure> {
    serde_json::to_vec(value).map(Bytes::from).map_err(unwritable)
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err takes")]
fn unwritable(error: serde_json::Error) -> Failure {
    Failure::internal(error.to_string())
}
