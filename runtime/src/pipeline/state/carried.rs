//! Values that one try of an object hands to the next, in memory only.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use crate::lock::Mutex;

/// A value is found by its step and its type.
type Slot = (&'static str, TypeId);
type Value = Box<dyn Any + Send + Sync>;
type Values = HashMap<Slot, Value>;

/// The values of one object between its passes. All clones share them.
#[derive(Clone, Default)]
pub(crate) struct CarriedValues(Arc<Mutex<Values>>);

/// The values as a pass, or a joined step of it, uses them. They return to the shared ones when it ends, however it ends.
#[derive(Default)]
pub(crate) struct Carried {
    /// The passes since the last success.
    tries: u32,
    /// `None` until a step asks for a value, as most never do.
    shared: Option<CarriedValues>,
    taken: Values,
}

impl Carried {
    /// The values after this many passes without success.
    pub(crate) fn after(tries: u32, shared: Option<CarriedValues>) -> Self {
        Self { tries, shared, taken: Values::new() }
    }

    /// The same values for a joined step.
    pub(super) fn forked(&self) -> Self {
        Self::after(self.tries, self.shared.clone())
    }

    /// Prepares for joined steps, which share the values.
    pub(super) fn share(&mut self) {
        self.shared.get_or_insert_default();
    }

    pub(crate) const fn tries(&self) -> u32 {
        self.tries
    }

    /// The value of this type that the step carries.
    #[allow(clippy::expect_used, reason = "the slot contains the type")]
    pub(crate) fn value<T: Default + Send + Sync + 'static>(&mut self, step: &'static str) -> &mut T {
        let slot = (step, TypeId::of::<T>());
        let shared = self.shared.get_or_insert_default();
        let value = self.taken.entry(slot).or_insert_with(|| {
            let known = shared.0.lock().remove(&slot);
            known.unwrap_or_else(|| Box::new(T::default()))
        });
        value.downcast_mut().expect("a value of its slot")
    }

    /// The values for the next pass. `None`: there are none.
    pub(crate) fn put_back(&mut self) -> Option<CarriedValues> {
        let shared = self.shared.as_ref()?;
        let mut values = shared.0.lock();
        values.extend(std::mem::take(&mut self.taken));
        (!values.is_empty()).then(|| shared.clone())
    }
}

impl Drop for Carried {
    fn drop(&mut self) {
        if !self.taken.is_empty() {
            self.put_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_by_its_step_and_its_type() {
        let shared = CarriedValues::default();
        let mut first = Carried::after(0, Some(shared.clone()));
        *first.value::<u32>("fetch") += 1;
        first.value::<Vec<u32>>("fetch").push(7);
        *first.value::<u32>("store") += 10;
        drop(first);
        let mut second = Carried::after(1, Some(shared));
        assert_eq!((second.tries(), *second.value::<u32>("fetch"), *second.value::<u32>("store")), (1, 1, 10));
        assert_eq!(second.value::<Vec<u32>>("fetch").as_slice(), [7]);
        assert_eq!(*second.value::<u64>("fetch"), 0, "of another type");
    }

    #[test]
    fn joined_steps_carry_their_own_values() {
        let mut pass = Carried::default();
        pass.share();
        let mut forks = [pass.forked(), pass.forked()];
        for (fork, step) in forks.iter_mut().zip(["fetch", "store"]) {
            fork.value::<String>(step).push_str(step);
        }
        drop(forks);
        let mut next = Carried::after(1, pass.put_back());
        for step in ["fetch", "store"] {
            assert_eq!(next.value::<String>(step), step);
        }
        assert!(Carried::default().put_back().is_none());
    }
}
