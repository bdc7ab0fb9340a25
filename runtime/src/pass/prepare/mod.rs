//! Preparation for the body: the claim and the finalizer, stored before any side effect.

pub(super) mod claim;
pub(super) mod finalizer;
pub(super) mod live_read;
