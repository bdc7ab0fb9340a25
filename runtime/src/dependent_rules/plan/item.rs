//! The wanted objects of a set, in the order in which they are applied.

use std::time::Duration;

use crate::dependent_rules::manifest::{Applied, Digest, JsonText, ObjectId};
use crate::dependent_rules::policy::Settings;

/// The parts of a wave. One starts when the one before is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// All other objects.
    Normal,
    /// APIServices, and webhooks whose Service is in the set: their pods must run first.
    Late,
    /// Instances of types that the set defines.
    Instance,
}

/// A wanted object.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its identity.
    pub id: ObjectId,
    /// The version of its kind in which it is sent.
    pub version: String,
    /// What is sent, without the marks.
    pub object: JsonText,
    /// What is stored in the object when it is applied.
    pub applied: Applied,
    /// The settings that hold for it.
    pub settings: Settings,
    /// Its part of the wave.
    pub part: Part,
    /// Its place in the part.
    pub rank: i8,
}

impl Item {
    /// The wave after which the object is deleted. It is never before its own wave.
    #[must_use]
    pub fn purge_wave(&self) -> Option<i16> {
        self.settings.purge_order.map(|order| order.max(self.settings.apply_order))
    }

    /// Whether the object is applied again although nothing has changed.
    #[must_use]
    pub fn is_reapply_due(&self, age: Duration) -> bool {
        self.applied.reapply_after().is_some_and(|interval| age >= interval)
    }
}

/// The wanted objects of a set, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The objects.
    pub items: Vec<Item>,
    /// The digest of the set.
    pub digest: Digest,
}

impl Plan {
    /// The waves in which objects are applied, in order.
    pub fn waves(&self) -> impl Iterator<Item = i16> {
        let same = |one: &Item, other: &Item| one.settings.apply_order == other.settings.apply_order;
        self.items.chunk_by(same).filter_map(|wave| wave.first()).map(|first| first.settings.apply_order)
    }
}
