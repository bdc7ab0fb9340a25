//! The HTTP layer under passes and watches: what the API server said about when to come back, and what is left out of its answers.

mod answers;
mod bound;
mod frames;
mod layer;
mod lift;
mod line;
mod trim;

pub(crate) use self::answers::{note_silence as note_outage, noting, noting_retry_after, retry_after};
pub(crate) use self::bound::{LineTooLong, is_too_long};
pub(crate) use self::layer::{configured, lean, metadata_only, noted, watched};
