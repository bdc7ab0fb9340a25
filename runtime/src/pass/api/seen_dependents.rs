//! The state of the dependents that a pass has looked at. A change that it has not looked at makes another pass necessary.

use std::collections::HashMap;
use std::sync::Arc;

use crate::lock::Mutex;

/// The sums over the dependents of each step, as the pass last looked at them; before that, as they were when it began.
#[derive(Debug, Default)]
pub(in crate::pass) struct SeenDependents(Mutex<HashMap<Arc<str>, u64>>);

impl SeenDependents {
    /// The sums when the pass begins.
    pub(in crate::pass) fn begin(sums: Vec<(Arc<str>, u64)>) -> Self {
        let seen = Self::default();
        sums.into_iter().for_each(|(step, sum)| seen.add(step, sum));
        seen
    }

    fn add(&self, step: Arc<str>, number: u64) {
        let mut seen = self.0.lock();
        let sum = seen.entry(step).or_default();
        *sum = sum.wrapping_add(number);
    }

    /// Records the present sums of a step, which the pass looks at now; `None`: of all steps.
    pub(in crate::pass) fn look(&self, step: Option<&str>, sums: Vec<(Arc<str>, u64)>) {
        let is_it = |of: &str| step.is_none_or(|step| step == of);
        self.0.lock().retain(|of, _| !is_it(of));
        sums.into_iter().filter(|(of, _)| is_it(of)).for_each(|(of, sum)| self.add(of, sum));
    }

    /// Records what a call of the pass changed: the step of an object and its share in the sum, before and after it.
    pub(in crate::pass) fn changed(&self, before: Option<(Arc<str>, u64)>, after: Option<(Arc<str>, u64)>) {
        if let Some((step, share)) = before {
            self.add(step, share.wrapping_neg());
        }
        if let Some((step, share)) = after {
            self.add(step, share);
        }
    }

    /// The sum over all steps.
    pub(in crate::pass) fn sum(&self) -> u64 {
        self.0.lock().values().fold(0, |all, sum| all.wrapping_add(*sum))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sums: &[(&str, u64)]) -> Vec<(Arc<str>, u64)> {
        sums.iter().map(|(step, sum)| ((*step).into(), *sum)).collect()
    }

    #[test]
    fn a_change_of_another_step_is_not_seen() {
        let seen = SeenDependents::begin(of(&[("one", 1), ("two", 10), ("two", 20)]));
        assert_eq!(seen.sum(), 31);
        seen.look(Some("two"), of(&[("one", 2), ("two", 40)]));
        assert_eq!(seen.sum(), 41, "the change of the first step was not looked at");
        seen.look(None, of(&[("one", 2)]));
        assert_eq!(seen.sum(), 2);
    }

    #[test]
    fn changes_by_calls_are_seen() {
        let seen = SeenDependents::begin(of(&[("one", 7)]));
        seen.changed(Some(("one".into(), 3)), None);
        assert_eq!(seen.sum(), 4, "deleted");
        seen.changed(Some(("one".into(), 4)), Some(("two".into(), 5)));
        assert_eq!(seen.sum(), 5, "moved");
    }
}
