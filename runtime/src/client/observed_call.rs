//! One call to the API server, in its span and counted; and the client of passes, whose calls are counted with the step that makes them.

use std::future::Future;

use http::{Request, Response};
use kube::Client;
use kube::client::Body;
use tracing::Instrument;

use super::request_info::Line;
use crate::queue::meter::CallMeter;

/// Awaits the head of an answer in the span of its call, and counts it.
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

/// A client whose calls name the step that makes them.
#[derive(Clone)]
pub(crate) struct StepClient {
    client: Client,
    meter: CallMeter,
}

impl StepClient {
    pub(crate) const fn new(client: Client, meter: CallMeter) -> Self {
        Self { client, meter }
    }

    /// Sends a request of this step; the name is empty outside of steps. Returns the head of the answer, whatever its code is.
    ///
    /// # Errors
    /// There is no answer.
    pub(crate) async fn send(
        &self,
        step: &'static str,
        request: Request<Vec<u8>>,
    ) -> Result<Response<Body>, kube::Error> {
        let line = Line::of(&request);
        observed(line, step, &self.meter, self.client.send(request.map(Body::from))).await
    }
}

#[cfg(test)]
impl StepClient {
    /// The client, for what needs no step.
    pub(crate) fn plain(&self) -> Client {
        self.client.clone()
    }
}
