//! Limits of an operator: concurrent passes and retries per second.

use std::any::TypeId;
use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};

use super::error::{Error, Reason, Result};
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{ConcurrencyLimit, QueueConfig, Rate};

/// The configured limits.
pub(super) struct Limits {
    pub(super) concurrency: NonZeroUsize,
    /// The concurrency of single reconcilers, with their names.
    own: HashMap<TypeId, (&'static str, NonZeroUsize)>,
    pub(super) together: Option<NonZeroUsize>,
    pub(super) retries: NonZeroU32,
}

/// The concurrency of single reconcilers.
pub(super) type Own = HashMap<TypeId, NonZeroUsize>;

impl Default for Limits {
    fn default() -> Self {
        Self { concurrency: QueueConfig::CONCURRENCY, own: HashMap::new(), together: None, retries: Rate::RETRIES }
    }
}

impl Limits {
    /// Sets the concurrency of one reconciler.
    pub(super) fn set_own<R: Reconciler>(&mut self, passes: NonZeroUsize) {
        self.own.insert(TypeId::of::<R>(), (R::WIRING.name, passes));
    }

    /// The configuration of the queues.
    pub(super) fn config(&self) -> QueueConfig {
        QueueConfig {
            concurrency: self.concurrency,
            slots: self.together.map_or_else(ConcurrencyLimit::default, ConcurrencyLimit::new),
            rate: Rate::new(self.retries),
            ..QueueConfig::default()
        }
    }

    /// The concurrency of single reconcilers. Each one must be in `names`.
    pub(super) fn own(&self, names: &[&str]) -> Result<Own> {
        if let Some((name, _)) = self.own.values().find(|(name, _)| !names.contains(name)) {
            let help = "add it with `.reconciler::<..>(..)`, or leave out its `.concurrency_of`";
            return Err(Error::new(
                Reason::Setup,
                format!("`{name}` has a concurrency but is not a reconciler of this operator"),
                help,
            ));
        }
        Ok(self.own.iter().map(|(id, (_, passes))| (*id, *passes)).collect())
    }
}
