//! Aggregates: one condition that is computed from the conditions of several objects.

use super::{Condition, Merge, Source};

impl Merge<'_> {
    /// Merges the conditions of all objects into one condition of type `target`. Returns `None` if none of them is in
    /// scope.
    ///
    /// A missing type is ignored under every ranking, since objects of other controllers need not report it.
    ///
    /// ```
    /// use evenkeel::condition::{Condition, Merge, READY, Ranking, Source, ConditionStatus};
    /// let good = [Condition::new(READY, ConditionStatus::True, "Succeeded", "")];
    /// let bad = [Condition::new(READY, ConditionStatus::False, "FetchFailed", "refused")];
    /// let objects = [
    ///     Source { kind: "GitRepository", name: "a", conditions: &good },
    ///     Source { kind: "GitRepository", name: "b", conditions: &bad },
    /// ];
    /// let merge = Merge::new(Ranking::Worst).types([READY]).sourced();
    /// let sources = merge.aggregate(&objects, "SourcesReady").unwrap();
    /// assert_eq!((sources.status, &*sources.reason), (ConditionStatus::False, "FetchFailed @ GitRepository/b"));
    /// ```
    #[must_use]
    pub fn aggregate(&self, sources: &[Source<'_>], target: &str) -> Option<Condition> {
        let members = sources.iter().flat_map(|source| self.members(source, None)).collect();
        self.decide(members, target, sources.len())
    }
}
