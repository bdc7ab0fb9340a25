//! The layer that reads each answer's headers, and the client with kube's own retries off.

use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderValue, Request, Response, header};
use kube::client::{Body, ClientBuilder};
use kube::{Client, Config};
use tower::{BoxError, Layer, Service, service_fn};

use super::answers;

/// The service beneath, with each answer noted.
#[derive(Clone, Debug)]
struct Noted<S>(S);

impl<S, B> Service<Request<Body>> for Noted<S>
where
    S: Service<Request<Body>, Response = Response<B>, Error: Into<BoxError>, Future: Send + 'static>,
{
    type Response = Response<B>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<B>, S::Error>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let answer = self.0.call(request);
        // Noted where the answer is awaited: the client's own task, which makes the call, belongs to no pass.
        async move {
            let answer = answer.await;
            match &answer {
                Ok(response) => answers::note(response.status(), response.headers()),
                Err(_) => answers::note_silence(),
            }
            answer
        }
        .boxed()
    }
}

struct Noting;

impl<S> Layer<S> for Noting {
    type Service = Noted<S>;

    fn layer(&self, service: S) -> Noted<S> {
        Noted(service)
    }
}

/// A client that notes answers on top of a finished one.
pub(crate) fn noted(client: Client) -> Client {
    let namespace = client.default_namespace().to_owned();
    let valid_until = *client.valid_until();
    let service = service_fn(move |request| {
        let client = client.clone();
        async move { client.send(request).await }
    });
    Client::new(Noted(service), namespace).with_valid_until(valid_until)
}

/// A client from a configuration: kube's retries off, since the queue backs off per object, and `<operator>/<version>` as agent.
pub(crate) fn configured(mut config: Config, agent: &str) -> Result<Client, kube::Error> {
    config.default_retry = false;
    if let Ok(agent) = HeaderValue::from_str(agent) {
        config.headers.push((header::USER_AGENT, agent));
    }
    Ok(ClientBuilder::try_from(config)?.with_layer(&Noting).build())
}
