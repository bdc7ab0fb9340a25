//! The dependents of the reconciled objects, in the cluster of the operator and in others.

#[cfg(feature = "metrics")]
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::RelatedCaches;
#[cfg(feature = "metrics")]
use crate::dependent_rules::manifest::ObjectId;
use crate::queue::Key;
use crate::watch::clusters::Clusters;
use crate::watch::dependents::DependentCache;
#[cfg(feature = "metrics")]
use crate::watch::dependents::KnownDependent;

impl RelatedCaches {
    /// The dependents in the cluster of the operator.
    pub(crate) fn dependents(&self) -> &DependentCache {
        &self.0.dependents
    }

    /// The other clusters with dependents.
    pub(crate) fn clusters(&self) -> &Clusters {
        &self.0.clusters
    }

    /// A sum over the dependents of an object in all clusters, which changes with every change that a pass must see.
    pub(crate) fn dependents_sum(&self, component: &Key) -> u64 {
        let elsewhere = self.0.clusters.of(component);
        let sums = elsewhere.iter().filter_map(|cluster| Some(cluster.cache()?.sum(component)));
        sums.fold(self.0.dependents.sum(component), u64::wrapping_add)
    }

    /// The same sum in parts, each for a step and a cluster.
    pub(crate) fn dependents_sums(&self, component: &Key) -> Vec<(Arc<str>, u64)> {
        let mut sums = self.0.dependents.sums(component);
        let elsewhere = self.0.clusters.of(component);
        sums.extend(elsewhere.iter().filter_map(|cluster| Some(cluster.cache()?.sums(component))).flatten());
        sums
    }

    /// The time until the first dependent of the object is applied again although nothing has changed.
    pub(crate) fn until_reapply(&self, component: &Key) -> Option<Duration> {
        let elsewhere = self.0.clusters.of(component);
        let times = elsewhere.iter().filter_map(|cluster| cluster.cache()?.until_reapply(component));
        times.chain(self.0.dependents.until_reapply(component)).min()
    }

    /// The dependents of an object in all clusters.
    #[cfg(feature = "metrics")]
    pub(crate) fn all_dependents(&self, component: &Key) -> Vec<(ObjectId, KnownDependent)> {
        let elsewhere = self.0.clusters.of(component);
        let there = elsewhere.iter().filter_map(|cluster| Some(cluster.cache()?.of(component))).flatten();
        self.0.dependents.of(component).into_iter().chain(there).collect()
    }

    /// The number of dependents of all objects in all clusters, by kind and kstatus.
    #[cfg(feature = "metrics")]
    pub(crate) fn dependents_counts(&self) -> BTreeMap<(String, &'static str), i64> {
        let mut counts = self.0.dependents.counts();
        for cluster in self.0.clusters.used() {
            let there = cluster.cache().map(DependentCache::counts).unwrap_or_default();
            there.into_iter().for_each(|(kind, count)| *counts.entry(kind).or_default() += count);
        }
        counts
    }
}
