//! Sends one request of a pass and reads the response, with a time limit. A server error becomes kube's [`Error`].

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, StatusCode};
use kube::Error;
use kube::core::Status;

use super::classify::classify;
use crate::api::ApiError;
use crate::client::{ANSWER, Answers, Ended, StepClient};

/// Sends the requests of one pass, or of one of its steps.
#[derive(Clone)]
pub(crate) struct Sender {
    pub(crate) client: Arc<StepClient>,
    /// The state of the API server according to its responses; shared by all steps of the pass.
    pub(crate) answers: Answers,
    /// The calling step; empty outside of steps.
    pub(crate) step: &'static str,
}

impl Sender {
    /// Awaits a call. A missing response counts as an outage.
    pub(super) async fn answered<T>(&self, call: impl Future<Output = Result<T, Error>>) -> Result<T, ApiError> {
        bounded(call, || self.answers.record_outage()).await
    }

    /// Sends the request and returns the body of the response.
    pub(super) async fn send(&self, request: Request<Vec<u8>>) -> Result<Bytes, Error> {
        let answer = self.client.send(self.step, request).await.inspect_err(|error| {
            // The fence held the write back, whatever the state of the API server is.
            if !Ended::is_cause_of(error) {
                self.answers.record_outage();
            }
        })?;
        let (head, body) = answer.into_parts();
        self.answers.record(head.status, &head.headers);
        let body = body.collect_bytes().await?;
        match head.status.is_client_error() || head.status.is_server_error() {
            true => Err(Error::Api(refusal(head.status, &body).boxed())),
            false => Ok(body),
        }
    }
}

/// The error in the body of a response, which is not a `Status` if a proxy sent it.
fn refusal(status: StatusCode, body: &[u8]) -> Status {
    let text = String::from_utf8_lossy(body);
    serde_json::from_str(&text)
        .unwrap_or_else(|_| Status::failure(text.trim(), "Failed to parse error data").with_code(status.as_u16()))
}

/// Awaits a call with a time limit, so that an unresponsive server does not block an object for ever.
pub(crate) async fn answered<T>(call: impl Future<Output = Result<T, Error>>) -> Result<T, ApiError> {
    bounded(call, || {}).await
}

async fn bounded<T>(call: impl Future<Output = Result<T, Error>>, on_silence: impl FnOnce()) -> Result<T, ApiError> {
    if let Ok(answer) = tokio::time::timeout(ANSWER, call).await {
        return answer.map_err(classify);
    }
    on_silence();
    Err(ApiError::Failed(format!("no response from the API server within {ANSWER:?}").into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pass::api::scripted::{Script, error, object, target};

    #[tokio::test(start_paused = true)]
    async fn an_unreachable_or_unavailable_server_is_an_outage() {
        let busy = error(503, "ServiceUnavailable", "starting");
        for (answers, outage) in
            [(vec![object("1", &serde_json::json!({}))], false), (vec![busy], true), (Vec::new(), true)]
        {
            let script = Script::new(answers);
            let read = script.calls.of_step("fetch").get(&target()).await;
            assert_eq!((read.is_err(), script.calls.sender.answers.outage()), (outage, outage), "{read:?}");
        }
    }

    #[test]
    fn an_error_body_without_status_is_reported_with_its_code() {
        let status = refusal(StatusCode::BAD_GATEWAY, b" <h1>bad gateway</h1>\xff\n");
        assert_eq!((status.code, status.message.as_str()), (502, "<h1>bad gateway</h1>\u{fffd}"));
        let status = refusal(StatusCode::FORBIDDEN, br#"{"code": 403, "reason": "Forbidden", "message": "no"}"#);
        assert_eq!((status.reason.as_str(), status.message.as_str()), ("Forbidden", "no"));
    }
}
