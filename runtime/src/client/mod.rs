//! The HTTP layer under a pass: what the API server said about when to come back.

mod answers;
mod layer;
mod line;

pub(crate) use self::answers::{noting, noting_retry_after, retry_after};
pub(crate) use self::layer::{configured, metadata_only, noted};

#[cfg(test)]
pub(crate) use self::answers::note_silence as note_outage;
