//! HTTP client for batches of spans: one connection per batch, on the runtime of the operator.

use std::pin::Pin;
use std::time::Duration;

use http::Uri;
use hyper::body::Body as _;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use kube::client::Body;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::net::TcpStream;
use tokio::runtime::Handle;

/// Timeout for sending a batch.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Sends requests to one host.
#[derive(Clone, Debug)]
pub(super) struct Client {
    runtime: Handle,
    /// Name and port.
    host: String,
}

impl Client {
    /// Creates a client for this endpoint.
    ///
    /// # Errors
    /// The endpoint is not an `http://` URL.
    pub(super) fn to(endpoint: &str) -> Result<Self, String> {
        let refused = || format!("`{endpoint}` is not an endpoint: write it like http://localhost:4318");
        let uri: Uri = endpoint.parse().map_err(|_| refused())?;
        let host = uri.host().filter(|_| uri.scheme_str() == Some("http")).ok_or_else(refused)?;
        let host = format!("{host}:{}", uri.port_u16().unwrap_or(80));
        Ok(Self { runtime: Handle::current(), host })
    }
}

async fn send(host: String, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let stream = TcpStream::connect(&host).await?;
    let (mut sender, connection) = http1::handshake::<_, Body>(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    let (mut parts, body) = request.into_parts();
    parts.headers.insert(http::header::HOST, host.parse()?);
    let path = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    parts.uri = path.parse()?;
    let answer = sender.send_request(Request::from_parts(parts, Body::from(body.to_vec()))).await?;
    let (parts, mut body) = answer.into_parts();
    let mut text = Vec::new();
    while let Some(frame) = std::future::poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await {
        // Responses of a collector are a few bytes; the rest is ignored.
        if let Ok(data) = frame?.into_data().map_err(drop)
            && text.len() < 64 * 1024
        {
            text.extend_from_slice(&data);
        }
    }
    Ok(Response::from_parts(parts, text.into()))
}

impl HttpClient for Client {
    /// Runs on the handle of the operator's runtime, since the export thread has none.
    fn send_bytes<'a, 'b>(
        &'a self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        let sent = send(self.host.clone(), request);
        let sent = self.runtime.spawn(async { tokio::time::timeout(PATIENCE, sent).await });
        Box::pin(async move { sent.await?? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_plain_http_with_a_host_is_an_endpoint() {
        assert_eq!(Client::to("http://collector:4318").unwrap().host, "collector:4318");
        assert_eq!(Client::to("http://collector/").unwrap().host, "collector:80");
        for text in ["https://collector", "collector:4318", "http://", "", "grpc://x:1"] {
            assert!(Client::to(text).unwrap_err().contains("write it like"), "{text}");
        }
    }
}
