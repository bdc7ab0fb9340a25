//! From the answers of the API server to objects: what is skipped on the way, and what becomes of one that does not fit its type.

mod exact;
mod forward;
mod guard;
mod item;
mod lean;
mod raw;
mod shapes;
mod shelf;

pub(crate) use self::guard::{Broken, Guarded};
pub(crate) use self::item::{Meta, Object, Record, Whole};
pub(crate) use self::lean::{keeping, keeping_all};
pub(crate) use self::shelf::{Shelf, fetching};
