//! What a watcher with `cache = none` needs of the metadata of an object.

use std::sync::Arc;

use kube::api::ObjectMeta;

use crate::pipeline::object::Object;
use crate::trigger::{self, Observer};
use crate::watch::selector::keys;
use crate::wiring::triggers::{Counted, is_framework};
use crate::wiring::{Mark, Wiring};

/// Removes everything else from the objects of a watcher.
#[derive(Clone, Debug)]
pub(crate) struct Reduction {
    /// The labels of the selector.
    labels: Vec<&'static str>,
    observer: Observer<'static>,
    /// Whether the watcher has finalizers.
    has_finalizers: bool,
}

impl Reduction {
    /// `None`: the cache of this reconciler holds more.
    pub(crate) fn of(wiring: &'static Wiring) -> Option<Self> {
        let watcher = wiring.watcher.filter(|watcher| watcher.whole.is_some())?;
        Some(Self {
            labels: wiring.labels.map(|selector| keys(selector).collect()).unwrap_or_default(),
            observer: Observer {
                counted: Counted { triggers: wiring.triggers, claimed: &[] },
                request_annotation: wiring.request_annotation,
                policy: wiring.policies.map(|policies| policies.key),
            },
            has_finalizers: watcher.mark != Mark::None,
        })
    }

    /// The object with the rest of its metadata. Its content is a hash of what counts as a change, since the rest does not show that.
    pub(super) fn reduced(&self, mut object: Arc<Object>) -> Arc<Object> {
        if Arc::get_mut(&mut object).is_none() {
            object = object.copy().into();
        }
        let content = trigger::change_number(object.meta(), &self.observer);
        if let Some(object) = Arc::get_mut(&mut object) {
            let meta = std::mem::take(object.meta_mut());
            *object.meta_mut() = self.metadata(meta);
            object.bare_mut().into_iter().for_each(|bare| bare.content = content);
        }
        object
    }

    fn metadata(&self, meta: ObjectMeta) -> ObjectMeta {
        let ObjectMeta { name, namespace, uid, resource_version, generation, deletion_timestamp, .. } = meta;
        let labels = meta.labels.map(|mut labels| {
            labels.retain(|name, _| self.labels.contains(&name.as_str()));
            labels
        });
        let annotations = meta.annotations.map(|mut annotations| {
            annotations.retain(|name, _| is_framework(name, self.observer.request_annotation, self.observer.policy));
            annotations
        });
        ObjectMeta {
            name,
            namespace,
            uid,
            resource_version,
            generation,
            deletion_timestamp,
            labels: labels.filter(|labels| !labels.is_empty()),
            annotations: annotations.filter(|annotations| !annotations.is_empty()),
            finalizers: meta.finalizers.filter(|finalizers| self.has_finalizers && !finalizers.is_empty()),
            ..ObjectMeta::default()
        }
    }
}
