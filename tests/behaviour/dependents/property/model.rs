//! The naive model: what is in the cluster when all is quiet. It knows no waves and no calls.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// The kind and the name of an object.
pub(super) type Id = (&'static str, &'static str);

/// One thing that happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The config map with its value is wanted, or no longer.
    Map(&'static str, Option<u8>),
    /// The secret with its value is wanted, or no longer.
    Secret(Option<u8>),
    /// The part is wanted in this wave, or no longer.
    Part(&'static str, Option<i16>),
    /// All config maps move to this wave.
    MapWave(&'static str),
    /// The delete policy of all objects.
    Policy(&'static str),
    /// The step is skipped, or no longer.
    Closed(bool),
    /// Another client changes the value of a config map.
    Edit(&'static str),
    /// Another client deletes an object.
    Delete(Id),
    /// Another client removes the labels of a config map.
    Unlabel(&'static str),
    /// Another client creates a config map, unless there is one.
    Plant(&'static str),
    /// The controller of the parts finds this one ready, or not.
    Ready(&'static str, bool),
    /// The component is deleted. It is created again when all is quiet.
    DeleteShop,
    Start,
    Stop,
    Crash,
    /// The value of the config map `base` changes, and the operator crashes this many turns of the executor later.
    CrashAfter(u8, u16),
    /// Everything that can settle does.
    Quiet,
}

/// What the spec says, and what is there.
#[derive(Clone, Debug)]
pub(super) struct Model {
    maps: BTreeMap<&'static str, u8>,
    secret: Option<u8>,
    parts: BTreeMap<&'static str, i16>,
    map_wave: &'static str,
    policy: &'static str,
    pub(super) closed: bool,
    /// Whether the component is there.
    pub(super) is_open: bool,
    /// The objects: those of the component with their value, those of no one without.
    pub(super) objects: BTreeMap<Id, Option<String>>,
}

impl Model {
    pub(super) fn new() -> Self {
        Self {
            // A set that had objects may not become empty, so this one is always wanted.
            maps: BTreeMap::from([("base", 0)]),
            secret: None,
            parts: BTreeMap::new(),
            map_wave: "0",
            policy: "delete",
            closed: false,
            is_open: true,
            objects: BTreeMap::new(),
        }
    }

    /// The spec of the component.
    pub(super) fn spec(&self) -> Value {
        let maps: BTreeMap<_, _> = self.maps.iter().map(|(name, value)| (name, value.to_string())).collect();
        json!({
            "maps": maps,
            "secret": self.secret.map(|value| value.to_string()),
            "parts": self.parts,
            "annotations": { "evenkeel.dev/apply-order": self.map_wave },
            "policies": { "delete": self.policy },
            "closed": self.closed,
        })
    }

    /// The objects that the component wants, with their values.
    pub(super) fn wanted(&self) -> BTreeMap<Id, String> {
        if self.closed || !self.is_open {
            return BTreeMap::new();
        }
        let maps = self.maps.iter().map(|(name, value)| (("ConfigMap", *name), value.to_string()));
        let secret = self.secret.iter().map(|value| (("Secret", "login"), value.to_string()));
        let parts = self.parts.keys().map(|name| (("Part", *name), String::new()));
        maps.chain(secret).chain(parts).collect()
    }

    /// Whether the step changes the spec.
    pub(super) fn take(&mut self, step: &Step) -> bool {
        fn set<V: Copy>(all: &mut BTreeMap<&'static str, V>, name: &'static str, value: Option<V>) {
            match value {
                Some(value) => all.insert(name, value),
                None => all.remove(name),
            };
        }
        match *step {
            Step::Map(name, value) => set(&mut self.maps, name, value),
            Step::Secret(value) => self.secret = value,
            Step::Part(name, wave) => set(&mut self.parts, name, wave),
            Step::MapWave(wave) => self.map_wave = wave,
            Step::Policy(policy) => self.policy = policy,
            Step::Closed(closed) => self.closed = closed,
            Step::CrashAfter(value, _) => set(&mut self.maps, "base", Some(value)),
            Step::Delete(id) => drop(self.objects.remove(&id)),
            Step::Plant(name) => drop(self.objects.entry(("ConfigMap", name)).or_insert(None)),
            Step::DeleteShop => self.is_open = false,
            Step::Quiet => self.settle(),
            _ => {}
        }
        matches!(
            step,
            Step::Map(..)
                | Step::Secret(_)
                | Step::Part(..)
                | Step::MapWave(_)
                | Step::Policy(_)
                | Step::Closed(_)
                | Step::CrashAfter(..)
        )
    }

    /// Everything wanted is there, and nothing else of the component.
    fn settle(&mut self) {
        let wanted = self.wanted();
        let orphans = match self.is_open {
            true => ["orphan", "orphan-on-apply"].contains(&self.policy),
            false => ["orphan", "orphan-on-delete"].contains(&self.policy),
        };
        self.objects.retain(|id, value| {
            if value.is_some() && !wanted.contains_key(id) {
                *value = None;
                return orphans;
            }
            true
        });
        self.objects.extend(wanted.into_iter().map(|(id, value)| (id, Some(value))));
    }
}
