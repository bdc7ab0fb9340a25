//! Work on a thread for blocking tasks.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use crate::api::Backend;
use crate::lock::Mutex;

/// Runs the work on a thread for blocking tasks. A panic of it continues here.
pub(crate) async fn blocking<T: Send + 'static>(backend: &dyn Backend, work: impl FnOnce() -> T + Send + 'static) -> T {
    let answer = Arc::new(Mutex::new(None));
    let given = answer.clone();
    let end = backend.blocking(Box::new(move || {
        let done = catch_unwind(AssertUnwindSafe(work));
        *given.lock() = Some(done);
    }));
    end.await;
    let done = answer.lock().take();
    match done {
        Some(Ok(value)) => value,
        Some(Err(panic)) => resume_unwind(panic),
        None => resume_unwind(Box::new("blocking work was abandoned by the runtime")),
    }
}
