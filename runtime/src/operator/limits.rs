//! Limits of an operator: concurrent passes and retries per second.

use std::any::TypeId;
use std::collections::HashMap;
use std::num::{NonZeroU32, NonZeroUsize};

use super::error::{Error, Reason, Result};
use crate::backoff::Backoff;
use crate::pipeline::reconciler::Reconciler;
use crate::queue::{ConcurrencyLimit, QueueConfig, Rate};

/// The configured limits.
pub(super) struct Limits {
    pub(super) concurrency: NonZeroUsize,
    /// The limits of single reconcilers, with their names.
    own: HashMap<TypeId, (&'static str, OwnLimits)>,
    pub(super) together: Option<NonZeroUsize>,
    pub(super) retries: NonZeroU32,
}

/// The limits of one reconciler. `None` uses those of the operator.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnLimits {
    pub(super) concurrency: Option<NonZeroUsize>,
    pub(super) backoff: Option<Backoff>,
    /// Its retries per second, in addition to the limit of the operator.
    pub(super) rate: Option<Rate>,
}

/// The limits of single reconcilers.
pub(super) type Own = HashMap<TypeId, OwnLimits>;

impl Default for Limits {
    fn default() -> Self {
        Self { concurrency: QueueConfig::CONCURRENCY, own: HashMap::new(), together: None, retries: Rate::RETRIES }
    }
}

impl Limits {
    /// The limits of one reconciler, to be set.
    pub(super) fn of<R: Reconciler>(&mut self) -> &mut OwnLimits {
        &mut self.own.entry(TypeId::of::<R>()).or_insert_with(|| (R::WIRING.name, OwnLimits::default())).1
    }

    /// The back-off of the reconciler of this name, if it has one of its own.
    pub(super) fn backoff(&self, name: &str) -> Option<Backoff> {
        self.own.values().find(|(own, _)| *own == name)?.1.backoff
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

    /// The limits of single reconcilers. Each one must be in `names`.
    pub(super) fn own(&self, names: &[&str]) -> Result<Own> {
        if let Some((name, _)) = self.own.values().find(|(name, _)| !names.contains(name)) {
            let help = "add it with `.reconciler::<..>(..)`, or leave out its `.concurrency_of`, `.backoff_of` and \
                        `.retries_per_second_of`";
            return Err(Error::new(
                Reason::Setup,
                format!("`{name}` has limits but is not a reconciler of this operator"),
                help,
            ));
        }
        let inverted = self.own.values().find_map(|(name, own)| Some((name, own.backoff.filter(|b| !b.is_valid())?)));
        if let Some((name, Backoff { base, cap })) = inverted {
            let headline = format!("the back-off of `{name}` is invalid: first {base:?}, longest {cap:?}");
            let help = "give `.backoff_of` a first delay of at least 1 ms, and a longest one that is not shorter";
            return Err(Error::new(Reason::Setup, headline, help));
        }
        Ok(self.own.iter().map(|(id, (_, own))| (*id, own.clone())).collect())
    }
}
