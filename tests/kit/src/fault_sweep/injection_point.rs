//! The injection points of a scenario and the disruptions that apply to them.

use std::any::Any;
use std::fmt;

use crate::effect::Effect;
use crate::log::Entry;
use crate::registry::Verb;

/// A fault or a crash at an injection point.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Disruption {
    /// A fault at a call. Some effects apply to some calls only:
    ///
    /// - [`Effect::Conflict`]: updates, patches and deletes
    /// - `Effect::LostAnswer`: writes
    /// - [`Effect::Expired`] and [`Effect::DropWatch`]: watches
    /// - [`Effect::SubresourceNotFound`]: calls to subresources
    /// - effects that only an API server or a proxy can cause, such as [`Effect::Unauthorized`]: calls to the API
    ///   server, but not to the [`ExternalState`](crate::ExternalState)
    Fault(Effect),
    /// A crash: the operator is dropped and restarted later.
    Crash(Crash),
}

/// The moment at which the operator is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Crash {
    /// Before the call is carried out.
    Before,
    /// After the call is carried out and before its response arrives.
    After,
    /// At an await of the operator's own future.
    ///
    /// Tasks that it spawned run until their next call, which never returns.
    Await,
}

/// A call of the operator.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(super) line: String,
    /// `None` for a call to the external system.
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

    fn accepts(&self, effect: &Effect) -> bool {
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
            Disruption::Fault(effect) => point.accepts(effect),
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

/// The disruption of one trial.
#[derive(Clone, Debug)]
pub(super) enum Plan {
    /// A disruption at the nth call with this line, counted from 1. The number of a call among all calls is no
    /// identity: the order of calls for independent objects may change between runs.
    Call { line: String, nth: usize, disruption: Disruption },
    /// A crash instead of the poll with this number, counted from 0.
    Await(usize),
}

/// Returns the message of a panic.
pub(super) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string)).unwrap_or_else(|| "a panic".to_owned())
}
