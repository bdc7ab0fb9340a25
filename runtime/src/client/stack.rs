//! The HTTP clients of an operator that may have replicas: the parts of kube's own client around fenced bodies.

use bytes::Bytes;
use http::{Request, Response, Uri};
use hyper::rt::{Read, Write};
use hyper_timeout::TimeoutConnector;
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::client::legacy::connect::{Connection, HttpConnector};
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ClientBuilder, ConfigExt};
use kube::{Client, Config, Error};
use tower::{BoxError, Service, ServiceBuilder};

use super::agent::agent_layer;
use super::fence::{Fenced, Writes, fence};
#[cfg(feature = "http2")]
use super::http2;
#[cfg(feature = "proxy")]
use super::proxy;

/// The versions of HTTP that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Versions {
    /// HTTP/1.1, and HTTP/2 with the feature for it.
    All,
    #[cfg(test)]
    Http1,
}

/// Builds a client with the user agent, and without kube's retries, since the queue backs off per object.
///
/// # Errors
/// The certificates or the credentials of the configuration cannot be used, or its proxy.
pub(crate) fn configured(config: Config, agent: &str) -> Result<Client, Error> {
    client(config, agent, Writes::Free, Versions::All)
}

/// Builds such a client whose writes need a [rule](super::FenceRule).
///
/// # Errors
/// As for [`configured`].
pub(crate) fn fenced(config: Config, agent: &str) -> Result<Client, Error> {
    client(config, agent, Writes::Fenced, Versions::All)
}

/// kube adds layers only around its client, and only a body beneath all of them can hold a write back. So the client is built here, from the
/// parts that kube has for this purpose. The layers for compression and for debug spans are left out; calls have spans of their own. A program
/// contains one HTTP client, with or without a fence: a second one would be half a megabyte.
fn client(config: Config, agent: &str, writes: Writes, versions: Versions) -> Result<Client, Error> {
    let mut tcp = HttpConnector::new();
    tcp.enforce_http(false);
    // As client-go: a small request does not wait for the acknowledgement of the one before it.
    tcp.set_nodelay(true);
    let Some(url) = config.proxy_url.clone() else { return connected(config, &tcp, agent, writes, versions) };
    match url.scheme_str() {
        #[cfg(feature = "proxy")]
        Some("socks5") => connected(config, &proxy::socks(url, tcp), agent, writes, versions),
        #[cfg(feature = "proxy")]
        Some("http") => connected(config, &proxy::tunnel(&url, tcp), agent, writes, versions),
        #[cfg(all(feature = "proxy", feature = "rustls-tls"))]
        Some("https") => {
            let tls = config.rustls_https_connector_with_connector(tcp)?;
            connected(config, &proxy::tunnel(&url, tls), agent, writes, versions)
        }
        #[cfg(all(feature = "proxy", not(feature = "rustls-tls")))]
        Some("https") => Err(Error::TlsRequired),
        #[cfg(not(feature = "proxy"))]
        Some("socks5" | "http" | "https") => {
            Err(Error::ProxyProtocolDisabled { proxy_url: Box::new(url), protocol_feature: "evenkeel/proxy" })
        }
        _ => Err(Error::ProxyProtocolUnsupported { proxy_url: Box::new(url) }),
    }
}

/// Builds a fenced client over this HTTP client.
pub(crate) fn fenced_over<S, B>(http: S) -> Client
where
    S: Service<Request<Fenced>, Response = Response<B>, Error: Into<BoxError>, Future: Send> + Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    Client::new(fence(http, Writes::Fenced), "default")
}

/// The client over a connector for plain connections.
fn connected<C>(config: Config, plain: &C, agent: &str, writes: Writes, versions: Versions) -> Result<Client, Error>
where
    C: Service<Uri, Response: Connection + Read + Write + Send + Unpin + 'static, Future: Send + 'static>,
    C: Clone + Send + Sync + 'static,
    C::Error: std::error::Error + Send + Sync + 'static,
{
    #[cfg(feature = "rustls-tls")]
    let connector = config.rustls_https_connector_with_connector(plain.clone())?;
    #[cfg(not(feature = "rustls-tls"))]
    let connector = match config.cluster_url.scheme_str() {
        Some("https") => return Err(Error::TlsRequired),
        _ => plain.clone(),
    };
    let http: HttpClient<_, Fenced> = HttpClient::builder(TokioExecutor::new()).build(limited(connector, &config));
    match versions {
        #[cfg(feature = "http2")]
        Versions::All => {
            let http = http2::client(limited(http2::offering(&config, plain.clone())?, &config), http);
            layered(config, fence(http, writes), agent)
        }
        #[cfg(any(test, not(feature = "http2")))]
        _ => layered(config, fence(http, writes), agent),
    }
}

/// A connector with the time limits of the configuration.
fn limited<C>(connector: C, config: &Config) -> TimeoutConnector<C>
where
    C: Service<Uri, Response: Read + Write + Send + Unpin, Future: Send + 'static, Error: Into<BoxError>> + Send,
{
    let mut connector = TimeoutConnector::new(connector);
    connector.set_connect_timeout(config.connect_timeout);
    connector.set_read_timeout(config.read_timeout);
    connector.set_write_timeout(config.write_timeout);
    connector.set_reset_reader_on_write(config.reset_reader_on_write);
    connector
}

/// The client over this service, with the base path, the credentials, the headers and the user agent.
fn layered<S, B>(config: Config, service: S, agent: &str) -> Result<Client, Error>
where
    S: Service<Request<Body>, Response = Response<B>, Error = BoxError, Future: Send> + Clone + Send + 'static,
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let service = ServiceBuilder::new()
        .layer(config.base_uri_layer())
        .option_layer(config.auth_layer()?)
        .layer(config.extra_headers_layer()?)
        .map_err(BoxError::from)
        .service(service);
    Ok(ClientBuilder::new(service, config.default_namespace).with_layer(&agent_layer(agent)).build())
}

#[cfg(test)]
#[cfg(feature = "rustls-tls")]
mod tests;
