//! The server as the tower service of a `kube::Client`, without a socket and without serialization of headers.

use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response};
use tower::{BoxError, Service};

use super::arrival::carried;
use crate::hold::ClientName;
use crate::log::IMPERSONATE;
use crate::state::{Local, Server};

/// An HTTP client of a [`Cluster`](crate::Cluster), for clients with layers of their own: see
/// [`Cluster::service`](crate::Cluster::service).
#[derive(Clone, Debug)]
pub struct ClusterService {
    server: Arc<Server>,
    user: Option<HeaderValue>,
    name: Option<ClientName>,
}

impl ClusterService {
    /// Returns the HTTP client of the administrator.
    pub(crate) fn new(server: &Arc<Server>) -> Self {
        Self { server: Arc::clone(server), user: None, name: None }
    }

    /// Acts as another user.
    pub(crate) fn acting_as(self, user: Option<HeaderValue>) -> Self {
        Self { user, ..self }
    }

    /// Has a name, by which faults and the log find its requests.
    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: Some(ClientName(name.into())), ..self }
    }
}

impl<B> Service<Request<B>> for ClusterService
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<Response<Body>, BoxError>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        request.extensions_mut().insert(Local);
        if let Some(user) = &self.user {
            request.headers_mut().insert(IMPERSONATE, user.clone());
        }
        if let Some(name) = &self.name {
            request.extensions_mut().insert(name.clone());
        }
        carried(Arc::clone(&self.server), request).boxed()
    }
}
