//! Conversions between the classic form and the modern one: error classes and outcomes.

use std::time::Duration;

use super::{Error, Kind, ReconcileResult, Reconciled};
use crate::outcome::reporting::{Actions, EventLevel, LogLevel};
use crate::outcome::{Class, Outcome, ReconcileError};

/// Lets a ported step run unchanged in a modern pipeline, where it returns `Result<T, flux::Error>`.
///
/// A pipeline has no success interval for a waiting error without a time: give it a time, or watch an object that triggers a reconcile.
impl ReconcileError for Error {
    fn class(&self) -> Class {
        match self.kind() {
            Kind::Stalling => Class::Stalled,
            Kind::Waiting(after) => Class::Waiting { poll: (after != Duration::ZERO).then_some(after) },
            Kind::Generic if self.is_ignored() => Class::Ignored,
            Kind::Generic | Kind::Plain => Class::Transient,
        }
    }

    fn reason(&self) -> &'static str {
        Self::reason(self)
    }

    fn actions(&self) -> Actions {
        let config = self.config();
        let log = match (config.log, config.event) {
            // The runtime logs returned errors in both forms.
            _ if self.is_retried() => LogLevel::Warn,
            (false, _) => LogLevel::Debug,
            (true, EventLevel::Warning) => LogLevel::Error,
            (true, _) => LogLevel::Info,
        };
        Actions { event: config.event, log, notify: config.notification }
    }
}

/// The outcome of a run. [`ReconcileResult::Empty`] has none and is returned as the error.
///
/// ```
/// use evenkeel::Outcome;
/// use evenkeel::flux::{Error, ReconcileResult};
/// assert_eq!(Outcome::try_from(Ok(ReconcileResult::Success)), Ok(Outcome::Done));
/// let stalled = Outcome::try_from(Err(Error::stalling("InvalidUrl", "no scheme")));
/// assert_eq!(stalled, Ok(Outcome::Stalled { reason: "InvalidUrl".into(), message: "no scheme".into() }));
/// assert!(Outcome::try_from(Ok(ReconcileResult::Empty)).is_err());
/// ```
impl TryFrom<Reconciled> for Outcome {
    type Error = ReconcileResult;

    fn try_from(reconciled: Reconciled) -> Result<Self, ReconcileResult> {
        let error = match reconciled {
            Ok(ReconcileResult::Empty) => return Err(ReconcileResult::Empty),
            Ok(ReconcileResult::Success) => return Ok(Self::Done),
            Ok(ReconcileResult::Requeue) => return Ok(Self::Requeue { after: None }),
            Err(error) => error,
        };
        let message = error.to_string();
        Ok(match error.class() {
            Class::Stalled => Self::Stalled { reason: error.reason().into(), message },
            Class::Waiting { poll } => Self::Waiting { poll },
            Class::Transient => Self::Failed { message },
            Class::Ignored => Self::Ignored,
        })
    }
}

/// The result for an outcome without an error. Any other outcome is returned as the error.
impl TryFrom<Outcome> for ReconcileResult {
    type Error = Outcome;

    fn try_from(outcome: Outcome) -> Result<Self, Outcome> {
        match outcome {
            Outcome::Done => Ok(Self::Success),
            Outcome::Requeue { after: None } => Ok(Self::Requeue),
            other => Err(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_survives_conversion_to_an_outcome_and_back() {
        for result in [ReconcileResult::Success, ReconcileResult::Requeue] {
            let outcome = Outcome::try_from(Ok(result)).unwrap();
            assert_eq!(ReconcileResult::try_from(outcome), Ok(result));
        }
        assert_eq!(ReconcileResult::try_from(Outcome::Gone), Err(Outcome::Gone));
    }

    #[test]
    fn the_kind_of_an_error_decides_its_class() {
        let second = Duration::from_secs(1);
        assert_eq!(Error::waiting("NotYet", second, "soon").class(), Class::Waiting { poll: Some(second) });
        assert_eq!(Error::waiting("NotYet", Duration::ZERO, "soon").class(), Class::Waiting { poll: None });
        assert_eq!(Error::ignored("NoChange", "same").class(), Class::Ignored);
        assert_eq!(Error::plain("boom").class(), Class::Transient);
        assert!(Outcome::try_from(Err(Error::ignored("NoChange", "same"))).unwrap().is_final());
    }
}
