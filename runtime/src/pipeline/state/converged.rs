//! The sets of a component that had converged at the end of a pass, so that the next pass need not look at each of their objects.

use std::sync::Arc;

use crate::dependent_rules::manifest::Digest;
use crate::lock::{Mutex, MutexGuard};

/// A set that has converged.
#[derive(Clone, Debug)]
pub(crate) struct ConvergedSet {
    pub(crate) step: &'static str,
    /// The digest of everything that its plan was made from.
    pub(crate) input: Digest,
    /// The generation of the component, if an object of the set depends on it.
    pub(crate) generation: Option<i64>,
    /// The digest of its status at the end of the pass.
    pub(crate) status: Option<Digest>,
    pub(crate) revision: i64,
    pub(crate) count: usize,
}

/// All sets of a component at the end of a pass in which nothing was left to do.
#[derive(Debug)]
pub(crate) struct Converged {
    /// The sum over the dependents of the component.
    sum: u64,
    sets: Vec<ConvergedSet>,
}

/// The sets as a pass and its joined steps use them. `None`: none has converged yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConvergedSets(Option<Arc<Mutex<Pass>>>);

#[derive(Debug, Default)]
struct Pass {
    before: Option<Box<Converged>>,
    /// The sets that have converged in this pass, and whether they are the same as before.
    now: Vec<(ConvergedSet, bool)>,
    /// Whether the objects of a set were looked at.
    differs: bool,
    sum: Option<u64>,
}

impl ConvergedSets {
    /// The sets at the end of the last pass.
    pub(crate) fn after(before: Option<Box<Converged>>) -> Self {
        Self(before.map(|before| Arc::new(Mutex::new(Pass { before: Some(before), ..Pass::default() }))))
    }

    /// Prepares for joined steps, which share the sets.
    pub(super) fn share(&mut self) {
        self.0.get_or_insert_default();
    }

    fn lock(&self) -> Option<MutexGuard<'_, Pass>> {
        Some(self.0.as_ref()?.lock())
    }

    /// Whether the set of the step had converged in the last pass.
    pub(crate) fn knows(&self, step: &str) -> bool {
        let before = |pass: MutexGuard<'_, Pass>| {
            let sets = pass.before.as_ref().map(|before| &before.sets);
            !pass.differs && sets.is_some_and(|sets| sets.iter().any(|set| set.step == step))
        };
        self.lock().is_some_and(before)
    }

    /// The set of the last pass, if it still is as it was and all sets before it in this pass are, too. `sum`: the present one.
    pub(crate) fn unchanged(&self, sum: u64, is_same: impl Fn(&ConvergedSet) -> bool) -> Option<ConvergedSet> {
        let mut pass = self.lock()?;
        let before = pass.before.as_ref().filter(|before| before.sum == sum && !pass.differs)?;
        let set = before.sets.iter().find(|set| is_same(set))?.clone();
        pass.now.push((set.clone(), true));
        Some(set)
    }

    /// Records that the objects of a set are looked at. Returns the steps whose sets were taken as unchanged before it.
    pub(crate) fn differ(&mut self) -> Vec<&'static str> {
        self.share();
        let Some(mut pass) = self.lock() else { return Vec::new() };
        pass.differs = true;
        let unchanged = pass.now.iter_mut().filter(|(_, is_unchanged)| *is_unchanged);
        unchanged.map(|(set, is_unchanged)| (std::mem::take(is_unchanged), set.step).1).collect()
    }

    /// Records a set that has converged.
    pub(crate) fn add(&mut self, set: ConvergedSet) {
        self.share();
        let Some(mut pass) = self.lock() else { return };
        pass.now.retain(|(known, _)| known.step != set.step);
        pass.now.push((set, false));
    }

    /// Whether this number of sets, which are all, are the same as before.
    pub(crate) fn all_unchanged(&self, count: usize) -> bool {
        self.lock().is_some_and(|pass| !pass.differs && pass.now.len() == count)
    }

    /// Records the end of a pass in which nothing was left to do for all sets, which are this number.
    pub(crate) fn end(&mut self, count: usize, sum: u64, status: impl Fn(&str) -> Option<Digest>) {
        let Some(mut pass) = self.lock() else { return };
        pass.now.iter_mut().for_each(|(set, _)| set.status = status(set.step));
        pass.sum = Some(sum).filter(|_| pass.now.len() == count);
    }

    /// The sets for the next pass. `None`: something is left to do.
    #[cfg(feature = "operator")]
    pub(crate) fn take(&mut self) -> Option<Box<Converged>> {
        let mut pass = self.lock()?;
        let sum = pass.sum.take()?;
        let sets = std::mem::take(&mut pass.now).into_iter().map(|(set, _)| set).collect();
        Some(Box::new(Converged { sum, sets }))
    }
}

#[cfg(all(test, feature = "operator"))]
mod tests {
    use super::*;

    fn set(step: &'static str) -> ConvergedSet {
        let (input, status) = (Digest::of_all([]), None);
        ConvergedSet { step, input, generation: None, status, revision: 1, count: 2 }
    }

    /// A pass after one in which both sets had converged, with this sum.
    fn after(sum: u64) -> ConvergedSets {
        let mut first = ConvergedSets::default();
        for step in ["one", "two"] {
            assert!(first.differ().is_empty());
            first.add(set(step));
        }
        first.end(2, sum, |_| None);
        ConvergedSets::after(first.take())
    }

    fn is_unchanged(sets: &ConvergedSets, step: &str, sum: u64) -> bool {
        sets.unchanged(sum, |set| set.step == step).is_some()
    }

    #[test]
    fn sets_are_unchanged_while_no_dependent_changes() {
        let mut sets = after(7);
        assert!(sets.knows("one") && !sets.knows("three"));
        assert!(is_unchanged(&sets, "one", 7) && !sets.all_unchanged(2));
        assert!(is_unchanged(&sets, "two", 7) && sets.all_unchanged(2));
        sets.end(2, 7, |_| None);
        assert!(is_unchanged(&ConvergedSets::after(sets.take()), "one", 7));
        assert!(!is_unchanged(&after(7), "one", 8));
    }

    #[test]
    fn one_set_that_differs_lets_all_be_looked_at() {
        let mut sets = after(7);
        assert!(is_unchanged(&sets, "one", 7));
        assert_eq!(sets.differ(), ["one"]);
        assert!(sets.differ().is_empty() && !sets.knows("two") && !is_unchanged(&sets, "two", 7));
        sets.add(set("two"));
        assert!(!sets.all_unchanged(2));
        sets.end(2, 9, |_| None);
        assert!(is_unchanged(&ConvergedSets::after(sets.take()), "two", 9));
    }

    #[test]
    fn nothing_is_known_after_a_pass_that_left_something_to_do() {
        let mut sets = after(7);
        assert!(is_unchanged(&sets, "one", 7));
        assert!(sets.take().is_none(), "the pass did not end");
        sets.end(2, 7, |_| None);
        assert!(sets.take().is_none(), "the second set was not reached");
    }
}
