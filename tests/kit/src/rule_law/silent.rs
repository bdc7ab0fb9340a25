//! Calls a function whose panic is an answer and no failure of the test.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic of this thread is caught. The hook of the program has no other way to find out.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// The result of the function; `None` if it panics, about which nothing is printed.
pub(super) fn call<T>(function: impl FnOnce() -> T) -> Option<T> {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if !IS_CAUGHT.get() {
                usual(info);
            }
        }));
    });
    IS_CAUGHT.set(true);
    let result = catch_unwind(AssertUnwindSafe(function));
    IS_CAUGHT.set(false);
    result.ok()
}
