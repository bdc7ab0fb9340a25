//! The body of a request of an API server, with a limit.

use axum::body::Body;
use bytes::Bytes;
use futures::StreamExt;
use http::StatusCode;

/// The largest body that is read, in bytes. An object has at most 1.5 MiB in etcd; a request may contain two.
const LARGEST: usize = 8 * 1024 * 1024;

/// The body as a whole.
///
/// # Errors
/// It breaks off, or it is larger than 8 MiB. The message ends with the fix for the latter.
pub(crate) async fn whole(body: Body, fix: &str) -> Result<Bytes, (StatusCode, String)> {
    let mut chunks = body.into_data_stream();
    let (mut first, mut all) = (Bytes::new(), Vec::new());
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|error| (StatusCode::BAD_REQUEST, format!("the body cannot be read: {error}")))?;
        if first.len() + all.len() + chunk.len() > LARGEST {
            let message = format!("the body is larger than {LARGEST} bytes: {fix}");
            return Err((StatusCode::PAYLOAD_TOO_LARGE, message));
        }
        match (first.is_empty(), all.is_empty()) {
            (true, true) => first = chunk,
            (false, _) => {
                all.extend_from_slice(&std::mem::take(&mut first));
                all.extend_from_slice(&chunk);
            }
            (true, false) => all.extend_from_slice(&chunk),
        }
    }
    Ok(if all.is_empty() { first } else { all.into() })
}
