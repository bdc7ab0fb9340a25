//! The objects that steps can read without an API server: those of the files, and those that earlier steps applied.

use std::sync::Arc;

use kube::ResourceExt;
use kube::core::{DynamicObject, TypeMeta};

use crate::api::{Selection, Target};
use crate::dependent_rules::manifest::ObjectId;
use crate::lock::{Mutex, MutexGuard};
use crate::watch::{matches, selects};
use crate::wiring::{KindInfo, Relation};

/// An object of a file.
#[derive(Clone, Debug)]
pub(crate) struct GivenObject {
    /// The file that contains it.
    pub(crate) file: String,
    pub(crate) object: Arc<DynamicObject>,
}

/// The objects that the steps of one pass can read.
#[derive(Debug)]
pub(super) struct Readable {
    given: Arc<Given>,
    /// What the steps have applied so far.
    applied: Mutex<Vec<Arc<DynamicObject>>>,
}

/// The objects of the files.
#[derive(Debug, Default)]
pub(crate) struct Given(pub(crate) Vec<GivenObject>);

impl Readable {
    pub(super) fn new(given: Arc<Given>) -> Self {
        Self { given, applied: Mutex::default() }
    }

    fn applied(&self) -> MutexGuard<'_, Vec<Arc<DynamicObject>>> {
        self.applied.lock()
    }

    /// The object. One of a file has precedence, since it may have a status.
    pub(super) fn get(&self, target: &Target) -> Option<Arc<DynamicObject>> {
        let is_it = |object: &&Arc<DynamicObject>| is_of(object, &target.kind) && is_at(object, target);
        let given = self.given.0.iter().map(|given| &given.object).find(is_it).cloned();
        given.or_else(|| self.applied().iter().find(is_it).cloned())
    }

    /// The version in which the files have the object, if it is another one than that of the target.
    pub(super) fn other_version(&self, target: &Target) -> Option<&str> {
        let resource = &target.kind.resource;
        let of_name = self.given.0.iter().map(|given| &given.object).filter(|object| is_at(object, target));
        let group = |api_version: &str| api_version.rsplit_once('/').map_or("", |(group, _)| group) == resource.group;
        let is_kind = |types: &&TypeMeta| types.kind == resource.kind && group(&types.api_version);
        of_name.filter_map(|object| object.types.as_ref()).find(is_kind).map(|types| &*types.api_version)
    }

    /// The objects of a selection, ordered by namespace and name.
    pub(super) fn list(&self, relation: &Relation, selection: &Selection) -> Vec<Arc<DynamicObject>> {
        let is_in = |object: &DynamicObject| {
            let is_there = selection.namespace.is_none() || selection.namespace == object.metadata.namespace;
            is_there && matches(&selection.selector, Some(object.labels())) && selects(relation, selection, object)
        };
        let mut found: Vec<_> = self.all_of(&selection.kind).into_iter().filter(|object| is_in(object)).collect();
        found.sort_by(|one, other| place(one).cmp(&place(other)));
        found
    }

    /// The objects of a kind that have this owner, ordered by namespace and name.
    pub(super) fn owned(&self, kind: &KindInfo, owner: &Target) -> Vec<Arc<DynamicObject>> {
        let resource = &owner.kind.resource;
        let is_owned = |object: &&Arc<DynamicObject>| {
            let mut owners = object.metadata.owner_references.iter().flatten();
            owners.any(|one| one.controller == Some(true) && one.kind == resource.kind && one.name == owner.name)
        };
        let all = self.given.0.iter().map(|given| &given.object).filter(|object| is_of(object, kind)).filter(is_owned);
        let mut found: Vec<_> = all.cloned().collect();
        // What the steps apply is owned, or a dependent.
        found.extend(self.applied().iter().filter(|object| is_of(object, kind)).cloned());
        found.sort_by(|one, other| place(one).cmp(&place(other)));
        found
    }

    fn all_of(&self, kind: &KindInfo) -> Vec<Arc<DynamicObject>> {
        let given: Vec<_> =
            self.given.0.iter().map(|given| &given.object).filter(|object| is_of(object, kind)).cloned().collect();
        let applied = self.applied();
        let is_given = |object: &DynamicObject| given.iter().any(|given| place(given) == place(object));
        let more: Vec<_> = applied.iter().filter(|one| is_of(one, kind) && !is_given(one)).cloned().collect();
        [given, more].concat()
    }

    /// What a step has applied under this identity.
    pub(super) fn named(&self, id: &ObjectId) -> Option<Arc<DynamicObject>> {
        let is_it = |object: &&Arc<DynamicObject>| {
            let of = |types: &TypeMeta| {
                id.is(types.api_version.rsplit_once('/').map_or("", |(group, _)| group), &types.kind)
            };
            object.types.as_ref().is_some_and(of) && place(object) == (id.namespace.as_deref(), Some(&*id.name))
        };
        self.applied().iter().find(is_it).cloned()
    }

    /// Adds an object that a step has applied.
    pub(super) fn add(&self, object: Arc<DynamicObject>) {
        let mut applied = self.applied();
        applied.retain(|one| one.types != object.types || place(one) != place(&object));
        applied.push(object);
    }

    /// Removes an object that a step has deleted.
    pub(super) fn remove(&self, target: &Target) {
        self.applied().retain(|one| !is_of(one, &target.kind) || !is_at(one, target));
    }
}

fn place(object: &DynamicObject) -> (Option<&str>, Option<&str>) {
    (object.metadata.namespace.as_deref(), object.metadata.name.as_deref())
}

fn is_of(object: &DynamicObject, kind: &KindInfo) -> bool {
    let is_kind = |types: &TypeMeta| types.kind == kind.resource.kind && types.api_version == kind.resource.api_version;
    object.types.as_ref().is_some_and(is_kind)
}

/// Whether the object has the name, and the namespace if its kind has one.
fn is_at(object: &DynamicObject, target: &Target) -> bool {
    let is_there = target.namespace.is_none() || target.namespace == object.metadata.namespace;
    is_there && object.metadata.name.as_deref() == Some(&*target.name)
}
