//! Causes: why a pass runs. The event filter and the short-circuit are both generated from one [table].

mod causes;
mod digest;
mod enabled;
mod facts;
mod table;
#[cfg(test)]
mod tests;

pub(crate) use self::causes::{Causes, Urgency};
pub(crate) use self::digest::{digits, hash, number, parse, text};
pub(crate) use self::enabled::List;
pub(crate) use self::facts::{Event, Inputs, Standing};
