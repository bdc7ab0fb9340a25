//! Runs a target in virtual time.

use std::future::Future;

/// Runs the future in a runtime of its own, in which waiting takes no time.
pub fn run<T>(target: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build();
    runtime.expect("a runtime").block_on(target)
}
