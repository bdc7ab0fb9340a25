//! Decoding of API responses to objects, including stripped fields and objects that do not fit their type.

mod capacities;
mod exact_capacity;
mod fallible;
mod forward;
#[cfg(feature = "dependents")]
mod marked;
mod object;
mod object_text;
mod own_texts;
mod raw;
mod side_channel;
mod strip;

#[cfg(feature = "webhooks")]
pub(crate) use self::fallible::from_object_text;
pub(crate) use self::fallible::{Decoded, Decoder, Invalid, decoding};
#[cfg(feature = "dependents")]
pub(crate) use self::marked::{METADATA, Marked, READINESS, WHOLE};
#[cfg(feature = "lease")]
pub(crate) use self::object::from_body;
pub(crate) use self::object::{Meta, OwnerRecord, Whole, is_status, list, object};
pub(crate) use self::object_text::{ObjectText, find_unread};
pub(crate) use self::side_channel::{RawTextStore, with_raw_texts};
pub(crate) use self::strip::keeping_all;
