//! How much of an operator runs at a time, and how fast it tries again.

use std::any::TypeId;
use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};

use super::Operator;
use super::error::{Error, Reason, Result};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{QueueConfig, Rate, Slots};

/// The limits as they were given.
pub(super) struct Limits {
    pub(super) concurrency: usize,
    /// Those of single reconcilers, with their names.
    own: HashMap<TypeId, (&'static str, usize)>,
    together: Option<usize>,
    retries: u32,
}

/// The concurrency of single reconcilers.
pub(super) type Own = HashMap<TypeId, NonZeroUsize>;

impl Default for Limits {
    fn default() -> Self {
        let (concurrency, retries) = (QueueConfig::CONCURRENCY.get(), Rate::RETRIES.get());
        Self { concurrency, own: HashMap::new(), together: None, retries }
    }
}

impl Operator {
    /// How many objects of one reconciler may be worked on at a time, where it says no `concurrency` itself; 16 unless said otherwise.
    pub fn concurrency(mut self, passes: usize) -> Self {
        self.limits.concurrency = passes;
        self
    }

    /// How many objects of this reconciler may be worked on at a time, whatever holds for the others and whatever it says itself.
    pub fn concurrency_of<R: Reconciler>(mut self, passes: usize) -> Self {
        self.limits.own.insert(TypeId::of::<R>(), (R::WIRING.name, passes));
        self
    }

    /// How many objects of all reconcilers together may be worked on at a time; no number of its own unless said otherwise.
    pub fn total_concurrency(mut self, passes: usize) -> Self {
        self.limits.together = Some(passes);
        self
    }

    /// How many objects may be tried again per second after failures, all together; 100 unless said otherwise. They wait without a
    /// slot, and what changes is never held up.
    pub fn retries_per_second(mut self, retries: u32) -> Self {
        self.limits.retries = retries;
        self
    }
}

impl Limits {
    /// What the queues go by.
    pub(super) fn config(&self) -> Result<QueueConfig> {
        let retries = "leave out `.retries_per_second(0)`, or give 1 or more";
        let rate = NonZeroU32::new(self.retries).ok_or_else(|| nothing("0 retries per second", retries))?;
        let slots = self.together.map(|passes| some(passes, "total_concurrency")).transpose()?;
        Ok(QueueConfig {
            concurrency: some(self.concurrency, "concurrency")?,
            slots: slots.map_or_else(Slots::default, Slots::new),
            rate: Rate::new(rate),
            ..QueueConfig::default()
        })
    }

    /// What holds for single reconcilers, which must be among these.
    pub(super) fn own(&self, names: &[&str]) -> Result<Own> {
        if let Some((name, _)) = self.own.values().find(|(name, _)| !names.contains(name)) {
            let cure = "add it with `.reconciler::<..>(..)`, or leave out its `.concurrency_of`";
            return Err(Error::new(
                Reason::Setup,
                format!("`{name}` has a concurrency but is no reconciler here"),
                cure,
            ));
        }
        self.own.iter().map(|(id, (_, passes))| Ok((*id, some(*passes, "concurrency_of::<..>")?))).collect()
    }
}

fn some(passes: usize, method: &str) -> Result<NonZeroUsize> {
    let cure = format!("leave out `.{method}(0)`, or give 1 or more");
    NonZeroUsize::new(passes).ok_or_else(|| nothing("a concurrency of 0", &cure))
}

fn nothing(what: &str, cure: &str) -> Error {
    Error::new(Reason::Setup, format!("{what} would run nothing"), cure)
}
