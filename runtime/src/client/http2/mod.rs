//! Many requests over few connections: HTTP/2 where the API server speaks it, and HTTP/1.1 elsewhere.
//!
//! Each watch of HTTP/1.1 needs a connection of its own. hyper-util's client has one HTTP/2 connection per server, and requests beyond the number
//! of streams that the server allows wait in it for ever, behind watches. So the connections are kept here.

mod body;
mod connection;
mod connections;

use http::header::UPGRADE;
use http::{Request, Response, Version};
use hyper::rt::{Read, Write};
use hyper_rustls::{FixedServerNameResolver, HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::{Connect, Connection};
use kube::client::ConfigExt;
use kube::{Config, Error};
use tower::{BoxError, Service, service_fn};

use self::body::Streamed;
use self::connections::{Connections, Connector};
use super::fence::Fenced;

/// How often a request is sent again because its connection ended before it was sent. Each time, a new connection is open already.
const ATTEMPTS: usize = 3;

/// TLS over a connector for plain connections, which offers the server HTTP/2 and HTTP/1.1.
pub(super) fn offering<C>(config: &Config, plain: C) -> Result<HttpsConnector<C>, Error> {
    let builder = HttpsConnectorBuilder::new().with_tls_config(config.rustls_client_config()?).https_or_http();
    // A name that cannot be read is an error of the connector for HTTP/1.1.
    let name = config.tls_server_name.clone().and_then(|name| name.try_into().ok());
    let builder = match name {
        Some(name) => builder.with_server_name_resolver(FixedServerNameResolver::new(name)),
        None => builder,
    };
    Ok(builder.enable_http1().enable_http2().wrap_connector(plain))
}

/// The client of one API server. `http1` serves upgraded connections, and servers that speak HTTP/1.1 only.
pub(super) fn client<C, H>(
    connector: C,
    http1: HttpClient<H, Fenced>,
) -> impl Service<Request<Fenced>, Response = Response<Streamed>, Error = BoxError, Future: Send> + Clone + Send + 'static
where
    C: Connector,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    H: Connect + Clone + Send + Sync + 'static,
{
    let connections = Connections::new(connector);
    service_fn(move |request: Request<Fenced>| {
        let (connections, http1) = (connections.clone(), http1.clone());
        async move { sent(&connections, &http1, request).await }
    })
}

async fn sent<C, H>(
    connections: &Connections<C>,
    http1: &HttpClient<H, Fenced>,
    mut request: Request<Fenced>,
) -> Result<Response<Streamed>, BoxError>
where
    C: Connector,
    C::Response: Connection + Read + Write + Send + Unpin + 'static,
    H: Connect + Clone + Send + Sync + 'static,
{
    // `exec`, `attach` and `portforward`.
    if request.headers().contains_key(UPGRADE) {
        return Ok(http1.request(request).await?.map(Streamed::alone));
    }
    for _ in 0..ATTEMPTS {
        let Some((mut sender, stream)) = connections.stream(request.uri()).await? else {
            return Ok(http1.request(request).await?.map(Streamed::alone));
        };
        *request.version_mut() = Version::HTTP_2;
        match sender.try_send_request(request).await {
            Ok(response) => return Ok(response.map(|body| Streamed::over(body, stream))),
            Err(mut error) => match error.take_message() {
                Some(unsent) => request = unsent,
                None => return Err(error.into_error().into()),
            },
        }
    }
    Err(format!("the API server ended {ATTEMPTS} connections before a request was sent").into())
}

#[cfg(test)]
mod tests;
