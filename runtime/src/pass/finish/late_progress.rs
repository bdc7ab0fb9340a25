//! The late progress: a status that only says that more dependents are ready is written at most every 15 seconds, after a first burst.
//!
//! Otherwise a set of 5,000 objects would cost thousands of writes until the last one is ready.

use std::time::Duration;

use tokio::time::Instant;

use crate::outcome::Outcome;
use crate::pass::context::PassContext;
use crate::pass::memory::progress_writes::ProgressWrites;
use crate::pipeline::state::DesiredStatus;
use crate::queue::Key;

/// The time until this status may be written; `None`: it is written now.
pub(in crate::pass) fn lateness(
    context: &PassContext,
    key: &Key,
    outcome: &Outcome,
    (found, intent): (&DesiredStatus, &DesiredStatus),
) -> Option<Duration> {
    let mut memory = context.memory();
    let memory = memory.get_mut(key)?;
    if !matches!(outcome, Outcome::Waiting { .. }) {
        memory.progress = None;
        return None;
    }
    if !intent.differs_in_progress_only(found) {
        return None;
    }
    let now = Instant::now();
    memory.progress.get_or_insert_with(|| Box::new(ProgressWrites::new(now))).take(now).err()
}
