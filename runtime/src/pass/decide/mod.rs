//! Whether a pass has anything to do for its object: ownership, suspension, policy, dependencies and the short-circuit.

pub(super) mod dependencies;
pub(super) mod fast_path;
pub(super) mod ownership;
pub(super) mod policy;
pub(super) mod suspend;
pub(super) mod unchanged;
pub(super) mod wiring_hash;
