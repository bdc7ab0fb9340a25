//! The mark of an object whose owner no owner reference names: an owned object in another namespace than its owner, or a dependent of a set.

use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::core::ObjectMeta;

use super::target::Target;
use crate::kind::KindInfo;
use crate::sha256::{hex, sha256};
use crate::wiring::annotations::{DEPENDENT_OF, DOMAIN, ORPHANED_FROM, OWNER, key_under};

/// The reconciled object as the owner of other objects.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Owner {
    pub(crate) reference: OwnerReference,
    /// Its namespace; `None` if it is cluster-scoped.
    pub(crate) namespace: Option<String>,
    /// The set of dependents that the object belongs to, as `<reconciler>/<step>`; `None`: it is owned. In another cluster than the owner, `@`
    /// and the uid of the owner's cluster follow, as clusters may have owners of the same name.
    pub(crate) set: Option<String>,
    /// The domain of its marks.
    pub(crate) domain: Arc<str>,
}

impl Owner {
    /// Whether an owner reference in the target can name this owner: owner references do not cross namespaces.
    pub(crate) fn can_be_referred_to_by(&self, target: &Target) -> bool {
        self.namespace.is_none() || self.namespace == target.namespace
    }

    /// The cluster of the owner; `None`: that of the object.
    pub(crate) fn cluster(&self) -> Option<&str> {
        self.set.as_deref()?.split_once('@').map(|(_, cluster)| cluster)
    }

    /// The set that the object is in, without the cluster.
    #[cfg(feature = "dependents")]
    pub(crate) fn set_key(&self) -> Option<&str> {
        let set = self.set.as_deref()?;
        Some(set.split_once('@').map_or(set, |(set, _)| set))
    }

    /// Whether the target is the owner itself.
    pub(crate) fn is(&self, target: &Target) -> bool {
        let resource = &target.kind.resource;
        resource.kind == self.reference.kind
            && resource.group == group(&self.reference)
            && target.name == self.reference.name
            && target.namespace == self.namespace
    }

    /// The value of the label by which the objects of this owner are listed: a hash of its kind, namespace and name, as a label value is
    /// limited to 63 characters.
    pub(crate) fn id(&self) -> String {
        let Self { reference, namespace, set, .. } = self;
        let namespace = namespace.as_deref().unwrap_or_default();
        let set = set.iter().map(|set| format!("/{set}")).collect::<String>();
        let kind = qualified(&reference.kind, group(reference));
        let hash = sha256(format!("{kind}/{namespace}/{}{set}", reference.name));
        hex(&hash[..16])
    }

    /// The label and the annotation of an object of this owner.
    pub(crate) fn marks(&self, target: &Target) -> [(&'static str, String, String); 2] {
        [("labels", self.key(DEPENDENT_OF), self.id()), ("annotations", self.key(OWNER), self.mark(target))]
    }

    /// A key of a label or an annotation under the domain of the marks.
    pub(crate) fn key(&self, key: &str) -> String {
        key_under(&self.domain, key)
    }

    /// The value of the annotation: the owner, and the object that the mark is for. A copy of the object has a mark for another one.
    fn mark(&self, target: &Target) -> String {
        let Self { reference, namespace, set, .. } = self;
        let owner = qualified(&reference.kind, group(reference));
        let namespace = namespace.as_deref().unwrap_or_default();
        // The uid is left out for a set: a component that was restored under its name keeps its dependents.
        let of = set.as_ref().unwrap_or(&reference.uid);
        format!("{owner}/{namespace}/{}/{of} for {}", reference.name, described(target))
    }
}

/// The annotations with this mark, with the domains of their keys. Operators may mark under domains of their own.
fn marks<'m>(meta: &'m ObjectMeta, key: &str) -> impl Iterator<Item = (&'m str, &'m str)> {
    let name = key.strip_prefix(DOMAIN).unwrap_or(key);
    let annotations = meta.annotations.iter().flatten();
    annotations.filter_map(move |(key, value)| Some((key.strip_suffix(name)?, &**value)))
}

/// The marks of the object as texts, whether they are copies or not.
pub(crate) fn owner_marks(meta: &ObjectMeta) -> Vec<String> {
    marks(meta, OWNER).filter(|(_, mark)| mark.contains(" for ")).map(|(_, mark)| mark.to_owned()).collect()
}

/// Whether the object was left behind by its former owner.
pub(crate) fn is_orphan(meta: &ObjectMeta) -> bool {
    marks(meta, ORPHANED_FROM).next().is_some()
}

/// The owner that the mark of the object names. A mark that was copied from another object is ignored.
pub(crate) fn marked(kind: &KindInfo, meta: &ObjectMeta) -> Option<Owner> {
    marks(meta, OWNER).find_map(|(domain, mark)| owner_of(kind, meta, domain, mark))
}

fn owner_of(kind: &KindInfo, meta: &ObjectMeta, domain: &str, mark: &str) -> Option<Owner> {
    let (owner, of) = mark.split_once(" for ")?;
    let name = meta.name.clone().unwrap_or_default();
    if described(&Target { kind: kind.clone(), namespace: meta.namespace.clone(), name }) != of {
        return None;
    }
    let parts: Vec<_> = owner.split('/').collect();
    let (kind, namespace, name, uid, set) = match *parts {
        [kind, namespace, name, uid] => (kind, namespace, name, uid, None),
        [kind, namespace, name, reconciler, step] => (kind, namespace, name, "", Some(format!("{reconciler}/{step}"))),
        _ => return None,
    };
    let (kind, group) = kind.split_once('.').unwrap_or((kind, ""));
    // The version of an owner reference does not count.
    let api_version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
    let (kind, name, uid) = (kind.to_owned(), name.to_owned(), uid.to_owned());
    let reference = OwnerReference { api_version, kind, name, uid, ..OwnerReference::default() };
    let namespace = Some(namespace.to_owned()).filter(|namespace| !namespace.is_empty());
    Some(Owner { reference, namespace, set, domain: domain.into() })
}

/// The group of an owner reference.
pub(crate) fn group(owner: &OwnerReference) -> &str {
    owner.api_version.rsplit_once('/').map_or("", |(group, _)| group)
}

/// `Deployment.apps/team-a/web`.
fn described(target: &Target) -> String {
    let resource = &target.kind.resource;
    let namespace = target.namespace.as_deref().unwrap_or_default();
    format!("{}/{namespace}/{}", qualified(&resource.kind, &resource.group), target.name)
}

fn qualified(kind: &str, group: &str) -> String {
    if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::Secret;
    use serde_json::json;

    use super::*;

    fn owner() -> Owner {
        let reference = serde_json::from_value(
            json!({ "apiVersion": "shop.example.com/v2", "kind": "Shop", "name": "main", "uid": "1-2" }),
        );
        Owner { reference: reference.unwrap(), namespace: Some("team-a".into()), set: None, domain: DOMAIN.into() }
    }

    fn target(kind: KindInfo, namespace: &str) -> Target {
        Target { kind, namespace: Some(namespace.into()), name: "web".into() }
    }

    fn meta(namespace: &str, mark: &str) -> ObjectMeta {
        let meta = json!({ "name": "web", "namespace": namespace, "annotations": { OWNER: mark } });
        serde_json::from_value(meta).unwrap()
    }

    #[test]
    fn a_mark_names_owner_and_object() {
        let (deployment, secret) = (KindInfo::of::<Deployment>(), KindInfo::of::<Secret>());
        let mark = owner().mark(&target(deployment.clone(), "team-b"));
        assert_eq!(mark, "Shop.shop.example.com/team-a/main/1-2 for Deployment.apps/team-b/web");
        let found = marked(&deployment, &meta("team-b", &mark)).unwrap();
        assert_eq!((found.reference.uid, found.reference.name), ("1-2".into(), "main".into()));
        assert_eq!((found.reference.kind, found.namespace), ("Shop".into(), Some("team-a".into())));
        assert_eq!(marked(&deployment, &meta("team-c", &mark)), None, "a copy in another namespace");
        assert_eq!(marked(&secret, &meta("team-b", &mark)), None, "a copy to another kind");
        let set = Owner { set: Some("shop/install".into()), ..owner() };
        let mark = set.mark(&target(deployment.clone(), "team-b"));
        assert_eq!(mark, "Shop.shop.example.com/team-a/main/shop/install for Deployment.apps/team-b/web");
        let found = marked(&deployment, &meta("team-b", &mark)).unwrap();
        assert_eq!((found.set.as_deref(), &*found.reference.uid), (Some("shop/install"), ""));
        assert_eq!(found.cluster(), None);
        let remote = Owner { set: Some("shop/install@1-2-3".into()), ..owner() };
        let found = marked(&deployment, &meta("team-b", &remote.mark(&target(deployment.clone(), "team-b")))).unwrap();
        assert_eq!((found.set.as_deref(), found.cluster()), (Some("shop/install@1-2-3"), Some("1-2-3")));
        assert_ne!(remote.id(), set.id());
        for broken in ["", "Shop/a/b for Secret/team-b/web", "Shop for Secret/team-b/web", "x"] {
            assert_eq!(marked(&secret, &meta("team-b", broken)), None, "{broken}");
        }
    }

    #[test]
    fn a_mark_under_another_domain_is_found() {
        let (map, target) = (KindInfo::of::<Secret>(), target(KindInfo::of::<Secret>(), "team-b"));
        let moved = Owner { domain: "corp.example".into(), set: Some("shop/install".into()), ..owner() };
        let [(_, label, id), (_, key, mark)] = moved.marks(&target);
        assert_eq!((&*label, &*key), ("corp.example/dependent-of", "corp.example/owner"));
        let mut object = meta("team-b", "no mark");
        object.annotations.as_mut().unwrap().insert(key, mark.clone());
        let found = marked(&map, &object).unwrap();
        assert_eq!((&*found.domain, found.id()), ("corp.example", id));
        assert_eq!(owner_marks(&object), [mark]);
    }

    #[test]
    fn the_id_is_a_label_value_that_depends_on_the_name_of_the_owner() {
        let id = owner().id();
        assert!(id.len() == 32 && id.chars().all(|c| c.is_ascii_hexdigit()), "{id}");
        let mut restored = owner();
        restored.reference.uid = "another".into();
        assert_eq!(restored.id(), id);
        assert_ne!(Owner { set: Some("shop/install".into()), ..owner() }.id(), id);
        restored.namespace = Some("team-b".into());
        assert_ne!(restored.id(), id);
    }

    #[test]
    fn an_owner_reference_does_not_cross_namespaces() {
        let secret = |namespace| target(KindInfo::of::<Secret>(), namespace);
        assert!(owner().can_be_referred_to_by(&secret("team-a")) && !owner().can_be_referred_to_by(&secret("team-b")));
        assert!(Owner { namespace: None, ..owner() }.can_be_referred_to_by(&secret("team-b")));
    }
}
