//! How much of an operator runs at a time, and how fast it tries again.

use std::any::TypeId;
use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};

use super::error::{Error, Reason, Result};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{ConcurrencyLimit, QueueConfig, Rate};

/// The limits as they were given.
pub(super) struct Limits {
    pub(super) concurrency: usize,
    /// Those of single reconcilers, with their names.
    own: HashMap<TypeId, (&'static str, usize)>,
    pub(super) together: Option<usize>,
    pub(super) retries: u32,
}

/// The concurrency of single reconcilers.
pub(super) type Own = HashMap<TypeId, NonZeroUsize>;

impl Default for Limits {
    fn default() -> Self {
        let (concurrency, retries) = (QueueConfig::CONCURRENCY.get(), Rate::RETRIES.get());
        Self { concurrency, own: HashMap::new(), together: None, retries }
    }
}

impl Limits {
    /// The concurrency of one reconciler.
    pub(super) fn set_own<R: Reconciler>(&mut self, passes: usize) {
        self.own.insert(TypeId::of::<R>(), (R::WIRING.name, passes));
    }

    /// What the queues go by.
    pub(super) fn config(&self) -> Result<QueueConfig> {
        let retries = "leave out `.retries_per_second(0)`, or give 1 or more";
        let rate = NonZeroU32::new(self.retries).ok_or_else(|| nothing("0 retries per second", retries))?;
        let slots = self.together.map(|passes| some(passes, "total_concurrency")).transpose()?;
        Ok(QueueConfig {
            concurrency: some(self.concurrency, "concurrency")?,
            slots: slots.map_or_else(ConcurrencyLimit::default, ConcurrencyLimit::new),
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
