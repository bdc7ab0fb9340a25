//! The triggers of a pass. The event filter and the short-circuit are both derived from one [table].

mod change;
mod digest;
mod enabled;
mod facts;
mod table;
#[cfg(test)]
mod tests;
mod trigger_set;

pub(crate) use self::change::{Observer, change_number};
pub(crate) use self::digest::{digits, hash, number, parse, text};
pub(crate) use self::enabled::EnabledTriggers;
pub(crate) use self::facts::{Inputs, PrimaryChange, TriggerFacts};
#[cfg(feature = "metrics")]
pub(crate) use self::table::generation;
pub(crate) use self::trigger_set::{TriggerSet, Urgency};
