//! A mutex that stays usable after a panic of the thread that held it. Who holds it keeps the value consistent at each point.

pub(crate) use std::sync::MutexGuard;
use std::sync::PoisonError;

#[derive(Debug, Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_panic_while_it_is_held_leaves_it_usable() {
        let mutex = Mutex::new(1);
        let panicking = catch_unwind(AssertUnwindSafe(|| {
            *mutex.lock() = 2;
            let _held = mutex.lock();
            panic!("held");
        }));
        assert!(panicking.is_err());
        assert_eq!(*mutex.lock(), 2);
    }
}
