//! The class of an error: what the framework does about it.

use std::time::Duration;

use super::reporting::{Actions, VariantInfo};
use super::retry::Retry;

/// What the framework does about an error of a step. Every variant of a step's error type has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Class {
    /// Retrying is useless until a person changes something.
    Stalled,
    /// Not our turn yet: woken by the object it waits on, or after `poll`.
    Waiting {
        /// When to look again; `None` where a watch wakes the object.
        poll: Option<Duration>,
    },
    /// Worth another try, with back-off.
    Transient,
    /// Nothing to do: the pass counts as done.
    Ignored,
}

impl Class {
    /// The word for those who count.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Stalled => "stalled",
            Self::Waiting { .. } => "waiting",
            Self::Transient => "transient",
            Self::Ignored => "ignored",
        }
    }

    /// What is told of an error of this class, unless its variant says otherwise.
    #[must_use]
    pub const fn actions(self) -> Actions {
        match self {
            Self::Stalled => Actions::STALLED,
            Self::Waiting { .. } => Actions::WAITING,
            Self::Transient => Actions::TRANSIENT,
            Self::Ignored => Actions::IGNORED,
        }
    }
}

/// When an error of class `waiting(poll = self.after)` looks again where its field is `None`: after 30 s.
pub(crate) const POLL: Duration = Duration::from_secs(30);

impl Class {
    /// Waiting, to look again after the time that the error says; see [`POLL`] where it says none.
    #[doc(hidden)]
    #[must_use]
    pub fn polling(after: Option<Duration>) -> Self {
        Self::Waiting { poll: Some(after.unwrap_or(POLL)) }
    }
}

/// An error type of which every variant has a class. Derive it with [`ReconcileError`](derive@crate::ReconcileError).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a step: its variants have no class",
    label = "no classes",
    note = "`#[derive(ReconcileError)]` on it, and mark each variant: `#[class(transient)]`, `#[class(waiting)]`, `#[class(stalled)]` or `#[class(ignored)]`"
)]
pub trait ReconcileError: std::fmt::Display + Send {
    /// What to do about it.
    fn class(&self) -> Class;
    /// The reason of the condition that the error marks, a word in CamelCase.
    fn reason(&self) -> &'static str;
    /// What is told of it beside the conditions; that of its class unless its variant says otherwise.
    fn actions(&self) -> Actions {
        self.class().actions()
    }
    /// How soon it is tried again.
    fn retry(&self) -> Retry {
        Retry::Slow
    }
    /// All variants, in declared order, for what is generated of them; empty where the trait is implemented by hand.
    const VARIANTS: &'static [VariantInfo] = &[];
}
