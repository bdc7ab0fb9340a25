//! Services that answer webhooks in process.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt;

use axum::body::Body;
use http::{Request, Response};
use tower::util::BoxCloneSyncService;
use tower::{Service, ServiceExt};

use crate::lock::Mutex;

/// A service that answers the webhooks of a Service.
#[derive(Clone)]
pub(crate) struct Backend(BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>);

impl Backend {
    pub(crate) fn new<S>(service: S) -> Self
    where
        S: Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
            + Clone
            + Send
            + Sync
            + 'static,
    {
        Backend(BoxCloneSyncService::new(service))
    }

    pub(crate) async fn answer(self, request: Request<Body>) -> Response<Body> {
        match self.0.oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Backend")
    }
}

/// The registered services, by namespace and name.
#[derive(Debug, Default)]
pub(crate) struct Backends(Mutex<HashMap<(String, String), Backend>>);

impl Backends {
    /// Registers a service in place of an earlier one.
    pub(crate) fn set(&self, namespace: &str, name: &str, backend: Backend) {
        let mut all = self.0.lock();
        all.insert((namespace.to_owned(), name.to_owned()), backend);
    }

    /// Removes a service, so that calls fail.
    pub(crate) fn remove(&self, namespace: &str, name: &str) {
        let mut all = self.0.lock();
        all.remove(&(namespace.to_owned(), name.to_owned()));
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<Backend> {
        let all = self.0.lock();
        all.get(&(namespace.to_owned(), name.to_owned())).cloned()
    }
}
