//! Spans and metrics of calls to the API server, and the client of passes, which counts its calls by step.

use std::future::Future;
use std::time::Duration;

use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use tracing::Instrument;

use super::connect::{Connect, configured};
use super::request_info::Line;
use crate::queue::meter::CallMeter;

/// Time limit for the head of a response to a call of a pass. API servers themselves end a request after 60 s, and most respond within
/// milliseconds.
pub(crate) const ANSWER: Duration = Duration::from_secs(30);

/// Awaits the head of a response in the span of its call, and counts the call.
pub(super) async fn observed<B, E>(
    line: Line,
    step: &'static str,
    meter: &CallMeter,
    answer: impl Future<Output = Result<Response<B>, E>>,
) -> Result<Response<B>, E> {
    let span = line.span();
    let answer = answer.instrument(span.clone()).await;
    let code = answer.as_ref().ok().map(Response::status);
    if let Some(code) = code {
        span.record("code", code.as_u16());
    }
    meter.record(|counts| counts.call(&line.call(step, code)));
    answer
}

/// A client that counts its calls by step.
#[derive(Clone)]
pub(crate) struct StepClient {
    pub(super) client: Client,
    pub(super) meter: CallMeter,
    /// Builds the clients of the clusters in which components keep their dependents.
    #[cfg(feature = "dependents")]
    pub(super) connect: Connect,
}

impl StepClient {
    /// A client whose other clusters have clients without a fence.
    pub(crate) const fn new(client: Client, meter: CallMeter) -> Self {
        Self::connecting(client, meter, configured)
    }

    /// A client whose other clusters have the clients that `connect` builds.
    pub(crate) const fn connecting(client: Client, meter: CallMeter, connect: Connect) -> Self {
        #[cfg(not(feature = "dependents"))]
        let _ = connect;
        Self {
            client,
            meter,
            #[cfg(feature = "dependents")]
            connect,
        }
    }

    /// Sends a request of this step (empty outside of steps). Returns the response for every status code; its body is not read yet.
    ///
    /// # Errors
    /// There is no response.
    pub(crate) async fn send(
        &self,
        step: &'static str,
        request: Request<Vec<u8>>,
    ) -> Result<Response<Body>, kube::Error> {
        let line = Line::of(&request);
        observed(line, step, &self.meter, self.client.send(request.map(Body::from))).await
    }
}

#[cfg(feature = "dependents")]
impl StepClient {
    /// The client, and what counts its calls.
    pub(crate) const fn parts(&self) -> (&Client, &CallMeter) {
        (&self.client, &self.meter)
    }

    /// Builds the client of another cluster.
    pub(crate) const fn connect(&self) -> Connect {
        self.connect
    }
}

#[cfg(test)]
impl StepClient {
    /// The client, for calls outside of steps.
    pub(crate) fn plain(&self) -> Client {
        self.client.clone()
    }
}
