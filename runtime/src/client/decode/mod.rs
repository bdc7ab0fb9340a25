//! From the answers of the API server to objects: what is skipped on the way, and what becomes of one that does not fit its type.

mod capacities;
mod exact_capacity;
mod fallible;
mod forward;
mod object;
mod raw;
mod side_channel;
mod strip;

pub(crate) use self::fallible::{Broken, Decoder, Guarded, decoding};
pub(crate) use self::object::{Meta, Record, Whole, is_status, list, object};
pub(crate) use self::side_channel::{Shelf, fetching};
pub(crate) use self::strip::keeping_all;
