//! A set of objects as the recorded sequences describe it, and its plan.

use evenkeel::dependents::manifest::{Manifest, ObjectId, Scope};
use evenkeel::dependents::order::{TypePattern, managed_types};
use evenkeel::dependents::plan::{Plan, PlanOptions};
use evenkeel::dependents::policy::Policies;
use serde_json::{Value, json};

use super::fixture::SCOPE;

/// One object: `Foo foo apply=1 purge=1 with finalizer`.
#[derive(Clone)]
pub(super) struct Member {
    manifest: Value,
    pub(super) has_finalizer: bool,
    /// Whether the component names its type as one that it manages.
    pub(super) is_managed: bool,
}

/// The group of the types of CRDs.
const GROUP: &str = "example.com";
const CUSTOM: [&str; 3] = ["Foo", "Bar", "Baz"];

impl Member {
    fn parse(text: &str) -> Self {
        let (text, note) = text.split_once(" (").map_or((text, ""), |(text, note)| (text, note));
        let mut words = text.split(' ').peekable();
        let kind = match words.next_if(|word| word.starts_with(char::is_uppercase)) {
            Some("CRD") => "CustomResourceDefinition",
            Some(kind) => kind,
            None if words.peek() == Some(&"foo") => "Foo",
            None => "ConfigMap",
        };
        let name = words.next().unwrap();
        let (mut annotations, mut has_finalizer) = (serde_json::Map::new(), false);
        for word in words {
            match word.split_once('=').unwrap_or((word, "")) {
                ("apply", order) => _ = annotations.insert("evenkeel.dev/apply-order".into(), json!(order)),
                ("purge", order) => _ = annotations.insert("evenkeel.dev/purge-order".into(), json!(order)),
                ("order" | "delete-order", order) => {
                    annotations.insert("evenkeel.dev/delete-order".into(), json!(order));
                }
                ("orphan" | "orphan-on-apply" | "orphan-on-delete", "") => {
                    annotations.insert("evenkeel.dev/delete-policy".into(), json!(word));
                }
                ("finalizer", "") => has_finalizer = true,
                ("with", "") => {}
                _ => panic!("no adapter reads `{word}` of an object"),
            }
        }
        let api_version = match kind {
            "ConfigMap" | "Secret" => "v1",
            "CustomResourceDefinition" => "apiextensions.k8s.io/v1",
            kind if CUSTOM.contains(&kind) => "example.com/v1",
            kind => panic!("no adapter has a {kind}"),
        };
        let mut manifest = json!({ "apiVersion": api_version, "kind": kind, "metadata": { "name": name, "annotations": annotations } });
        if kind == "CustomResourceDefinition" {
            let singular = name.trim_end_matches('s');
            let kind = CUSTOM.iter().find(|kind| kind.eq_ignore_ascii_case(singular)).unwrap();
            manifest["spec"] = json!({ "group": GROUP, "names": { "kind": kind } });
        }
        Self { manifest, has_finalizer, is_managed: note == "additional managed type)" }
    }

    fn name(&self) -> &str {
        self.manifest["metadata"]["name"].as_str().unwrap()
    }

    fn kind(&self) -> &str {
        self.manifest["kind"].as_str().unwrap()
    }

    /// Whether no controller has to report about the object.
    pub(super) fn is_ready_at_once(&self) -> bool {
        !CUSTOM.contains(&self.kind())
    }

    /// Whether the object is a CRD of this type.
    pub(super) fn defines(&self, id: &ObjectId) -> bool {
        let types = managed_types(&self.manifest);
        types.iter().any(|one| one.group == id.group && one.kind.as_ref().is_none_or(|kind| *kind == id.kind))
    }
}

/// The objects, and their plan.
pub(super) struct Set {
    members: Vec<Member>,
    pub(super) plan: Plan,
}

impl Set {
    pub(super) fn parse(objects: &Value) -> Self {
        Self::of(objects.as_array().unwrap().iter().map(|text| Member::parse(text.as_str().unwrap())).collect())
    }

    fn of(members: Vec<Member>) -> Self {
        let managed: Vec<&Member> = members.iter().filter(|member| member.is_managed).collect();
        let manages: Vec<TypePattern> =
            managed.iter().map(|member| format!("{GROUP}/{}", member.kind()).parse().unwrap()).collect();
        let manifests = members.iter().map(|member| {
            let namespaced = member.kind() != "CustomResourceDefinition";
            Manifest::new(&member.manifest, Scope { namespaced, ..SCOPE }).unwrap()
        });
        let options =
            PlanOptions { policies: Policies::default(), manages: &manages, component: "component", limit: 100 };
        let plan = Plan::new(manifests.collect(), options).unwrap();
        Self { members, plan }
    }

    /// The same set with fewer objects.
    pub(super) fn restricted(&self, objects: &Value) -> Self {
        let named = |text: &Value| {
            let wanted = Member::parse(text.as_str().unwrap());
            let same = |one: &&Member| one.name() == wanted.name() && one.kind() == wanted.kind();
            self.members.iter().find(same).unwrap().clone()
        };
        Self::of(objects.as_array().unwrap().iter().map(named).collect())
    }

    pub(super) fn member(&self, name: &str) -> &Member {
        self.members.iter().find(|member| member.name() == name).unwrap()
    }
}
