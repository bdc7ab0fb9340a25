//! Ownership of an object that a step would write or delete, and whether the step may take it over.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ManagedFieldsEntry, OwnerReference};
use kube::api::ObjectMeta;

#[cfg(feature = "dependents")]
use super::former_owner::FormerOwner;
use super::mark::{Owner, group, is_orphan, marked, owner_marks};
use super::target::Target;
use crate::kind::KindInfo;
use crate::wiring::relation::Adopt;

/// The writer: the reconciled object, and the field manager of its reconciler.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claimant<'a> {
    pub(crate) owner: &'a Owner,
    pub(crate) manager: &'a str,
    /// The earlier tool that did its work.
    #[cfg(feature = "dependents")]
    pub(crate) former: Option<&'a FormerOwner>,
}

/// The owner of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ownership {
    /// The claimant, which may update and delete the object.
    Ours,
    /// The claimant, by the mark of an earlier tool that did its work.
    #[cfg(feature = "dependents")]
    Former,
    /// No owner. Contains the field manager that wrote the object, if it is known.
    Unowned(Option<String>),
    /// Another object of the claimant's own kind, as text.
    Sibling(String),
    /// An object of another kind, as text.
    Object(String),
    /// A tool that marks its objects with a label or an annotation, as text.
    Tool(String),
}

/// The call that is refused for a foreign object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefusedCall {
    Apply,
    /// An apply for a set of dependents.
    ApplyDependent,
    Delete,
}

/// The metadata that identifies the owner of an object: a refusal is valid until it changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OwnerUids {
    uid: String,
    owners: Vec<(String, bool)>,
    /// The marks of owners that no owner reference names.
    marks: Vec<String>,
}

/// The labels and annotations with which tools mark their objects. An entry with a leading slash matches any key with
/// that suffix.
const MARKS: [(&str, &str); 8] = [
    ("meta.helm.sh/release-name", "Helm release"),
    ("kustomize.toolkit.fluxcd.io/name", "Flux Kustomization"),
    ("helm.toolkit.fluxcd.io/name", "Flux HelmRelease"),
    ("argocd.argoproj.io/tracking-id", "Argo CD application"),
    ("kapp.k14s.io/app", "kapp application"),
    ("config.k8s.io/owning-inventory", "inventory"),
    ("applyset.kubernetes.io/part-of", "ApplySet"),
    ("/owner-id", "component"),
];

impl OwnerUids {
    pub(crate) fn of(meta: &ObjectMeta) -> Self {
        let owners = meta.owner_references.iter().flatten();
        let mut owners: Vec<_> = owners.map(|owner| (owner.uid.clone(), owner.controller == Some(true))).collect();
        owners.sort();
        Self { uid: meta.uid.clone().unwrap_or_default(), owners, marks: owner_marks(meta) }
    }
}

impl<'a> Claimant<'a> {
    pub(crate) const fn new(owner: &'a Owner, manager: &'a str) -> Self {
        Self {
            owner,
            manager,
            #[cfg(feature = "dependents")]
            former: None,
        }
    }

    /// The `managedFields` of the object after the claimant took over the fields of its earlier tool; `None`: they stay.
    pub(crate) fn taken_over(&self, meta: &ObjectMeta) -> Option<serde_json::Value> {
        #[cfg(feature = "dependents")]
        return self.former.and_then(|former| former.taken_over(meta, self.manager));
        #[cfg(not(feature = "dependents"))]
        {
            let _ = meta;
            None
        }
    }

    /// Determines the owner of the object.
    pub(crate) fn ownership(&self, kind: &KindInfo, meta: &ObjectMeta) -> Ownership {
        let owners = meta.owner_references.as_deref().unwrap_or_default();
        let controller = owners.iter().find(|owner| owner.controller == Some(true));
        let ours = || owners.iter().find(|owner| owner.uid == self.owner.reference.uid);
        match controller.or_else(ours).or(owners.first()) {
            Some(owner) => self.owner_is(owner, None),
            None => match marked(kind, meta) {
                Some(owner) if owner.cluster() != self.owner.cluster() => {
                    Ownership::Object(format!("{} {} of another cluster", owner.reference.kind, owner.reference.name))
                }
                Some(owner) if owner.set.is_some() && self.owner.set.is_none() && self.is_component(&owner) => {
                    // The objects that a step owns are not those of its set.
                    Ownership::Object(format!("the dependents of {} {}", owner.reference.kind, owner.reference.name))
                }
                Some(owner) => self.owner_is(&owner.reference, owner.namespace.as_deref()),
                None => self.without_owner(meta),
            },
        }
    }

    /// Classifies an owner reference. A reconciled object that was deleted and re-created under the same name counts as
    /// the same owner.
    fn owner_is(&self, owner: &OwnerReference, namespace: Option<&str>) -> Ownership {
        let Owner { reference: ours, namespace: our_namespace, .. } = self.owner;
        let is_of_our_kind = owner.kind == ours.kind && group(owner) == group(ours);
        let place = namespace.map(|namespace| format!("{namespace}/")).unwrap_or_default();
        let words = format!("{} {place}{}", owner.kind, owner.name);
        let is_here = namespace.is_none() || namespace == our_namespace.as_deref();
        match is_of_our_kind {
            _ if owner.uid == ours.uid => Ownership::Ours,
            true if owner.name == ours.name && is_here => Ownership::Ours,
            true => Ownership::Sibling(words),
            false => Ownership::Object(words),
        }
    }

    /// Whether the marked owner is the claimant's own object.
    fn is_component(&self, marked: &Owner) -> bool {
        self.owner_is(&marked.reference, marked.namespace.as_deref()) == Ownership::Ours
    }

    /// Classifies an object without an owner reference by its field managers. A tool's mark takes precedence, unless
    /// this reconciler wrote it.
    fn without_owner(&self, meta: &ObjectMeta) -> Ownership {
        #[cfg(feature = "dependents")]
        if self.former.is_some_and(|former| former.marks(meta)) {
            return Ownership::Former;
        }
        let managers = || meta.managed_fields.iter().flatten().filter(|entry| entry.subresource.is_none());
        let ours = || managers().filter(|entry| entry.manager.as_deref() == Some(self.manager));
        if let Some(tool) = tool(meta, |list, key| ours().any(|entry| claims(entry, list, key))) {
            return Ownership::Tool(tool);
        }
        if ours().next().is_some() && !is_orphan(meta) {
            return Ownership::Ours;
        }
        Ownership::Unowned(managers().next_back().and_then(|entry| entry.manager.clone()))
    }
}

/// The tool that marked the object. A mark that this reconciler wrote is ignored: labels are often copied from the
/// parent object.
fn tool(meta: &ObjectMeta, is_copy: impl Fn(&str, &str) -> bool) -> Option<String> {
    let annotations = meta.annotations.iter().flatten().map(|mark| ("f:annotations", mark));
    let labels = meta.labels.iter().flatten().map(|mark| ("f:labels", mark));
    let mut marks = annotations.chain(labels).filter_map(|(list, (key, value))| {
        let is_of = |mark: &str| if mark.starts_with('/') { key.ends_with(mark) } else { key == mark };
        let (_, words) = MARKS.iter().find(|(mark, _)| is_of(mark))?;
        (!is_copy(list, key)).then(|| format!("the {words} {}", value.split(':').next().unwrap_or_default()))
    });
    marks.next()
}

/// Whether the field manager wrote the label or annotation.
fn claims(entry: &ManagedFieldsEntry, list: &str, key: &str) -> bool {
    let fields = entry.fields_v1.as_ref().map(|fields| &fields.0["f:metadata"][list]);
    fields.is_some_and(|fields| fields.get(format!("f:{key}")).is_some())
}

impl Ownership {
    /// Whether the object may be taken over under this policy.
    pub(crate) fn may_adopt(&self, adopt: Adopt) -> bool {
        match self {
            Self::Ours => true,
            #[cfg(feature = "dependents")]
            Self::Former => true,
            Self::Unowned(_) => adopt >= Adopt::IfUnowned,
            Self::Object(_) | Self::Tool(_) => adopt == Adopt::Always,
            // Two siblings that may adopt from each other would take the object over forever.
            Self::Sibling(_) => false,
        }
    }

    /// Whether every watch reports the owner. Labels and annotations are not cached for all objects.
    pub(crate) fn is_shown_by_uids(&self) -> bool {
        !matches!(self, Self::Tool(_))
    }

    /// The message: why the object is left unchanged, and how to fix it.
    pub(crate) fn refusal(&self, target: &Target, call: RefusedCall) -> String {
        let kind = &target.kind.resource.kind;
        let place = target.namespace.iter().map(|namespace| format!("{namespace}/"));
        let object = format!("{kind} {}{}", place.collect::<String>(), target.name);
        let (whose, adopt) = match self {
            Self::Ours => ("belongs to this object".to_owned(), None),
            #[cfg(feature = "dependents")]
            Self::Former => ("was created by an earlier tool".to_owned(), None),
            Self::Unowned(None) => ("has no owner and was not created by this operator".to_owned(), Some("if_unowned")),
            Self::Unowned(Some(manager)) => (
                format!("has no owner and was not created by this operator (written by {manager})"),
                Some("if_unowned"),
            ),
            Self::Sibling(owner) => (format!("belongs to {owner}"), None),
            Self::Object(owner) | Self::Tool(owner) => (format!("belongs to {owner}"), Some("always")),
        };
        let cure = |word: &str| match call {
            RefusedCall::Apply => format!(", or declare `owns({kind}, adopt = {word})`"),
            RefusedCall::ApplyDependent => {
                format!(", or set `evenkeel.dev/adoption-policy: {}` in its manifest", word.replace('_', "-"))
            }
            RefusedCall::Delete => String::new(),
        };
        let adopt = adopt.map_or_else(String::new, cure);
        let undone = if call == RefusedCall::Delete { "deleted" } else { "changed" };
        format!("{object} {whose}, so it is not {undone}; delete it, or choose another name{adopt}")
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::{Value, json};

    use super::*;
    use crate::kind::KindInfo;

    fn reference(kind: &str, name: &str, uid: &str) -> OwnerReference {
        let api_version = if kind == "Widget" { "tests.example.com/v1" } else { "apps/v1" };
        let (kind, name, uid) = (kind.to_owned(), name.to_owned(), uid.to_owned());
        OwnerReference { api_version: api_version.into(), kind, name, uid, ..OwnerReference::default() }
    }

    fn controller(kind: &str, name: &str, uid: &str) -> Value {
        let owner = OwnerReference { controller: Some(true), ..reference(kind, name, uid) };
        json!({ "ownerReferences": [owner] })
    }

    fn ownership(meta: Value) -> Ownership {
        let owner = Owner {
            reference: reference("Widget", "w", "1"),
            namespace: Some("a".into()),
            set: None,
            domain: "evenkeel.dev".into(),
        };
        let meta: ObjectMeta = serde_json::from_value(meta).unwrap();
        Claimant::new(&owner, "op/widget").ownership(&KindInfo::of::<ConfigMap>(), &meta)
    }

    fn written_by(manager: &str, fields: &Value) -> Value {
        json!([{ "manager": manager, "operation": "Apply", "fieldsV1": fields }])
    }

    #[test]
    fn an_owner_reference_to_the_same_name_is_ours() {
        assert_eq!(ownership(controller("Widget", "w", "1")), Ownership::Ours);
        assert_eq!(ownership(controller("Widget", "w", "0")), Ownership::Ours, "deleted and made anew, or restored");
        assert_eq!(ownership(json!({ "ownerReferences": [reference("Widget", "w", "1")] })), Ownership::Ours);
        assert_eq!(ownership(controller("Widget", "v", "2")), Ownership::Sibling("Widget v".into()));
        assert_eq!(ownership(controller("Deployment", "w", "1x")), Ownership::Object("Deployment w".into()));
        let owners = json!({ "ownerReferences": [reference("Deployment", "d", "9")], "managedFields": written_by("op/widget", &json!({})) });
        assert_eq!(
            ownership(owners),
            Ownership::Object("Deployment d".into()),
            "another owner wins over the field manager"
        );
    }

    #[test]
    fn a_mark_names_an_owner_in_another_namespace() {
        let marked = |owner: &str| {
            let mark = format!("{owner} for ConfigMap/b/x");
            json!({ "name": "x", "namespace": "b", "annotations": { "evenkeel.dev/owner": mark }, "managedFields": written_by("op/widget", &json!({})) })
        };
        assert_eq!(ownership(marked("Widget.tests.example.com/a/w/1")), Ownership::Ours);
        assert_eq!(ownership(marked("Widget.tests.example.com/a/w/0")), Ownership::Ours, "restored");
        assert_eq!(ownership(marked("Widget.tests.example.com/b/w/2")), Ownership::Sibling("Widget b/w".into()));
        assert_eq!(ownership(marked("Shop.example.com/a/w/3")), Ownership::Object("Shop a/w".into()));
    }

    #[test]
    fn without_owner_the_field_manager_decides() {
        assert_eq!(ownership(json!({ "managedFields": written_by("op/widget", &json!({})) })), Ownership::Ours);
        assert_eq!(
            ownership(json!({ "managedFields": written_by("kubectl", &json!({})) })),
            Ownership::Unowned(Some("kubectl".into()))
        );
        assert_eq!(ownership(json!({})), Ownership::Unowned(None));
        let status = json!([{ "manager": "op/widget", "operation": "Apply", "subresource": "status" }]);
        assert_eq!(ownership(json!({ "managedFields": status })), Ownership::Unowned(None), "who reports owns nothing");
    }

    #[test]
    fn a_tool_marker_names_the_tool_unless_copied() {
        let flux = json!({ "kustomize.toolkit.fluxcd.io/name": "apps" });
        assert_eq!(ownership(json!({ "labels": flux })), Ownership::Tool("the Flux Kustomization apps".into()));
        let argo = json!({ "argocd.argoproj.io/tracking-id": "web:apps/Deployment:a/b" });
        assert_eq!(ownership(json!({ "annotations": argo })), Ownership::Tool("the Argo CD application web".into()));
        let sap = json!({ "example.com/owner-id": "a/web" });
        assert_eq!(ownership(json!({ "annotations": sap })), Ownership::Tool("the component a/web".into()));
        let copied = json!({ "f:metadata": { "f:labels": { "f:kustomize.toolkit.fluxcd.io/name": {} } } });
        assert_eq!(
            ownership(json!({ "labels": flux, "managedFields": written_by("op/widget", &copied) })),
            Ownership::Ours
        );
        let other = written_by("op/widget", &json!({ "f:data": {} }));
        assert!(matches!(ownership(json!({ "labels": flux, "managedFields": other })), Ownership::Tool(_)));
    }

    #[test]
    fn adopt_policy_decides_and_a_sibling_is_never_adopted() {
        let unowned = Ownership::Unowned(None);
        let (object, tool) = (Ownership::Object("Deployment d".into()), Ownership::Tool("the Helm release r".into()));
        let table = [
            (Adopt::Never, [true, false, false, false, false]),
            (Adopt::IfUnowned, [true, true, false, false, false]),
            (Adopt::Always, [true, true, true, true, false]),
        ];
        for (adopt, expected) in table {
            let ownerships = [&Ownership::Ours, &unowned, &object, &tool, &Ownership::Sibling("Widget v".into())];
            assert_eq!(ownerships.map(|ownership| ownership.may_adopt(adopt)), expected, "{adopt:?}");
        }
    }

    #[test]
    fn a_refusal_names_object_owner_and_fix() {
        let target =
            Target { kind: KindInfo::of::<ConfigMap>(), namespace: Some("team-a".into()), name: "settings".into() };
        let refusal = |ownership: Ownership, call| ownership.refusal(&target, call);
        assert_eq!(
            refusal(Ownership::Object("Deployment web".into()), RefusedCall::Apply),
            "ConfigMap team-a/settings belongs to Deployment web, so it is not changed; delete it, or choose another name, or declare \
             `owns(ConfigMap, adopt = always)`"
        );
        assert_eq!(
            refusal(Ownership::Unowned(Some("kubectl-create".into())), RefusedCall::Delete),
            "ConfigMap team-a/settings has no owner and was not created by this operator (written by kubectl-create), so it is not deleted; \
             delete it, or choose another name"
        );
        assert!(!refusal(Ownership::Sibling("Widget v".into()), RefusedCall::Apply).contains("adopt"));
    }
}
