//! The server on a loopback port, with a kubeconfig for its clients.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use http::{Request, Response, StatusCode};
use http_body_util::{LengthLimitError, Limited};
use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

use super::arrival::carried;
use crate::api_error::{BODY_LIMIT, Failure};
use crate::state::Server;

/// A running HTTP server. Dropping it closes the port.
#[derive(Debug)]
pub struct Serving {
    address: SocketAddr,
    /// The first bearer token of the cluster.
    token: Option<String>,
    _task: AbortOnDropHandle<()>,
}

impl Serving {
    /// Returns the base URL, such as `http://127.0.0.1:40001`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Returns a kubeconfig with one cluster, one user and one context.
    ///
    /// The namespace of the context is `default`. The user has the first bearer token of the cluster, if there is one.
    #[must_use]
    pub fn kubeconfig(&self) -> String {
        let user = self.token.as_ref().map(|token| format!("token: {token:?}")).unwrap_or_default();
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: testkit\nclusters:\n- name: testkit\n  cluster:\n    server: {}\n\
             users:\n- name: testkit\n  user: {{{user}}}\ncontexts:\n- name: testkit\n  context:\n    cluster: testkit\n    user: testkit\n    \
             namespace: default\n",
            self.url()
        )
    }

    /// Writes the kubeconfig to a file and returns its path.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<PathBuf> {
        std::fs::write(&path, self.kubeconfig())?;
        Ok(path.as_ref().to_owned())
    }
}

/// Serves on a loopback port; 0 selects a free one.
pub(crate) async fn serve(server: Arc<Server>, port: u16) -> io::Result<Serving> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    let token = server.options.identities.first();
    let router = Router::new().fallback(answer).with_state(server);
    let task = AbortOnDropHandle::new(tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(%error, "the test server stopped");
        }
    }));
    Ok(Serving { address, token, _task: task })
}

async fn answer(State(server): State<Arc<Server>>, request: Request<Body>) -> Response<Body> {
    // Reading stops at the limit.
    match carried(server, request.map(|body| Limited::new(body, BODY_LIMIT))).await {
        Ok(response) => response,
        Err(error) if error.is::<LengthLimitError>() => Failure::large_body().into_response(),
        Err(error) => {
            let mut response = Response::new(Body::from(error.to_string()));
            *response.status_mut() = StatusCode::BAD_REQUEST;
            response
        }
    }
}
