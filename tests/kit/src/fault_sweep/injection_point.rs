//! The points of a scenario, and what can happen at them.

use std::any::Any;
use std::fmt;

use crate::effect::Effect;
use crate::log::Entry;
use crate::registry::Verb;

/// What may happen at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disruption {
    /// The call meets a fault. Conflicts meet updates, patches and deletes only, lost answers writes, what is about watches watches,
    /// what is about subresources subresources; what only an API server or a proxy can do meets no call to the outside.
    Fault(Effect),
    /// The operator is dropped, and started again later.
    Crash(Crash),
}

/// When the operator is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crash {
    /// Before the call is carried out.
    Before,
    /// After the call is carried out, before its answer arrives.
    After,
    /// At an await of the operator's own future. Tasks that it spawned go on until their next call, which is never answered.
    Await,
}

/// A call that was made.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(super) line: String,
    /// `None`: the outside.
    verb: Option<Verb>,
    is_write: bool,
    is_subresource: bool,
}

impl Point {
    pub(crate) fn call(entry: &Entry) -> Self {
        let is_subresource = entry.subresource.is_some();
        Self { line: entry.line(), verb: Some(entry.verb), is_write: entry.is_write(), is_subresource }
    }

    pub(super) fn external(line: String, is_write: bool) -> Self {
        Self { line, verb: None, is_write, is_subresource: false }
    }

    fn meets(&self, effect: &Effect) -> bool {
        match effect {
            Effect::Conflict => matches!(self.verb, Some(Verb::Update | Verb::Patch | Verb::Delete)),
            Effect::LostAnswer => self.is_write,
            Effect::Expired | Effect::DropWatch(_) => self.verb == Some(Verb::Watch),
            Effect::SubresourceNotFound => self.is_subresource,
            Effect::Unauthorized
            | Effect::BareForbidden
            | Effect::HalfBody
            | Effect::PageNotFound
            | Effect::KindNotFound
            | Effect::Starting
            | Effect::Garbage
            | Effect::OtherJson => self.verb.is_some(),
            Effect::TooManyRequests(_)
            | Effect::Internal
            | Effect::Unavailable
            | Effect::Timeout
            | Effect::Forbidden
            | Effect::Latency(_)
            | Effect::Hang
            | Effect::Status(_) => true,
        }
    }
}

impl Disruption {
    pub(super) fn applies_to(&self, point: &Point) -> bool {
        match self {
            Disruption::Fault(effect) => point.meets(effect),
            Disruption::Crash(Crash::Before) => true,
            Disruption::Crash(Crash::After) => point.is_write,
            Disruption::Crash(Crash::Await) => false,
        }
    }
}

impl fmt::Display for Disruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Disruption::Fault(effect) => write!(f, "{effect:?}"),
            Disruption::Crash(Crash::Before) => f.write_str("crash before"),
            Disruption::Crash(Crash::After) => f.write_str("crash after"),
            Disruption::Crash(Crash::Await) => f.write_str("crash"),
        }
    }
}

/// The trouble of one trial.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// At the nth call with this line, counted from 1. Not at the nth call of all: objects that do not depend on each other come in
    /// any order.
    Call { line: String, nth: usize, disruption: Disruption },
    /// The operator is dropped instead of its poll of this number.
    Await(usize),
}

/// What a panic said.
pub(super) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_else(|| "a panic".to_owned())
}
