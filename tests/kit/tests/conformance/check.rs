//! The assertions of conformance rules.

use std::fmt::Debug;
use std::future::Future;
use std::time::Duration;

use kube::Error;
use kube::core::Status;
use serde::Serialize;
use serde_json::Value;

/// The reason why a rule does not hold.
pub(crate) type Broken = Box<dyn std::error::Error + Send + Sync>;

/// The result of a rule.
pub(crate) type Verdict = Result<(), Broken>;

/// Checks that both values are equal.
#[allow(clippy::needless_pass_by_value, reason = "reads as a sentence with values and with references")]
pub(crate) fn same<A: PartialEq<B> + Debug, B: Debug>(what: &str, found: A, expected: B) -> Verdict {
    if found == expected { Ok(()) } else { Err(format!("{what}: expected {expected:?}, found {found:?}").into()) }
}

/// Checks that the values differ.
#[allow(clippy::needless_pass_by_value, reason = "reads as a sentence with values and with references")]
pub(crate) fn differ<A: PartialEq<B> + Debug, B: Debug>(what: &str, found: A, other: B) -> Verdict {
    if found == other { Err(format!("{what}: still {found:?}").into()) } else { Ok(()) }
}

/// Checks that the condition is true.
pub(crate) fn holds(what: &str, truth: bool) -> Verdict {
    if truth { Ok(()) } else { Err(what.to_owned().into()) }
}

/// Checks that the call was rejected with this code and reason.
pub(crate) fn refused<T: Debug>(answer: Result<T, Error>, code: u16, reason: &str) -> Result<Status, Broken> {
    match answer {
        Err(Error::Api(status)) if status.code == code && status.reason == reason => Ok(*status),
        Err(Error::Api(status)) => Err(format!("expected {code} {reason}, found {status:?}").into()),
        Err(error) => Err(format!("expected {code} {reason}, found {error}").into()),
        Ok(answer) => Err(format!("expected {code} {reason}, found {answer:?}").into()),
    }
}

/// The fields in an error, sorted and without duplicates.
pub(crate) fn fields(status: &Status) -> Vec<&str> {
    let causes = status.details.iter().flat_map(|details| &details.causes);
    let mut fields: Vec<&str> = causes.map(|cause| cause.field.as_str()).collect();
    fields.sort_unstable();
    fields.dedup();
    fields
}

/// An object as JSON.
pub(crate) fn json<T: Serialize>(object: &T) -> Value {
    serde_json::to_value(object).unwrap_or_default()
}

/// Repeats the call until it returns a value, since controllers work asynchronously.
pub(crate) async fn eventually<T, F>(what: &str, mut ask: impl FnMut() -> F) -> Result<T, Broken>
where
    F: Future<Output = Result<Option<T>, Broken>>,
{
    for _ in 0..200 {
        if let Some(answer) = ask().await? {
            return Ok(answer);
        }
        tokio::time::sleep(Duration::from_millis(75)).await;
    }
    Err(format!("does not come about: {what}").into())
}
