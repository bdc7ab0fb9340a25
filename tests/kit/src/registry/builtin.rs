//! The table of built-in kinds, one row each.

use k8s_openapi::api::{
    admissionregistration::v1 as admission, apps::v1 as apps, authentication::v1 as authentication,
    authorization::v1 as authorization, autoscaling::v2 as autoscaling, batch::v1 as batch,
    coordination::v1 as coordination, core::v1 as core, discovery::v1 as discovery, events::v1 as events,
    networking::v1 as networking, node::v1 as node, policy::v1 as policy, rbac::v1 as rbac,
    scheduling::v1 as scheduling, storage::v1 as storage,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 as apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1 as apiregistration;
use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope, Resource};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::field::{Absent, Selectable};
use super::kind::{Kind, Origin, Scale, Selector, Storage, Subresource, Verb};
use super::typed::Decode;

/// All rows in the order of discovery: by group and plural.
pub(super) fn kinds() -> Vec<Kind> {
    let mut kinds: Vec<Kind> = [core(), workloads(), rest(), reviews()].into_iter().flatten().collect();
    kinds.sort_by(|a, b| (&a.group, &a.plural).cmp(&(&b.group, &b.plural)));
    kinds
}

fn core() -> Vec<Kind> {
    vec![
        row::<core::ConfigMap>().short(&["cm"]),
        row::<core::Endpoints>().short(&["ep"]).created_by_put(),
        row::<core::Event>().short(&["ev"]).created_by_put().selecting(event_fields()),
        row::<core::LimitRange>().short(&["limits"]).created_by_put(),
        namespace(),
        row::<core::Node>().short(&["no"]).with_status().selecting(node_fields()),
        row::<core::PersistentVolume>().short(&["pv"]).with_status(),
        row::<core::PersistentVolumeClaim>().short(&["pvc"]).with_status(),
        pod(),
        row::<core::ResourceQuota>().short(&["quota"]).with_status(),
        row::<core::Secret>().selecting(vec![Selectable::plain("type")]),
        row::<core::Service>().short(&["svc"]).all().with_status().conditional().selecting(service_fields()),
        service_account(),
    ]
}

fn workloads() -> Vec<Kind> {
    vec![
        row::<apps::ControllerRevision>(),
        row::<apps::DaemonSet>().short(&["ds"]).all().counted(),
        row::<apps::Deployment>().short(&["deploy"]).all().counted().scaled(),
        row::<apps::ReplicaSet>().short(&["rs"]).all().counted().scaled(),
        row::<apps::StatefulSet>().short(&["sts"]).all().counted().scaled(),
        row::<autoscaling::HorizontalPodAutoscaler>().short(&["hpa"]).all().with_status(),
        row::<batch::CronJob>().short(&["cj"]).all().counted(),
        row::<batch::Job>().all().counted().selecting(job_fields()),
        row::<policy::PodDisruptionBudget>().short(&["pdb"]).counted().conditional(),
    ]
}

fn rest() -> Vec<Kind> {
    vec![
        policy::<admission::MutatingWebhookConfiguration>(),
        policy::<admission::ValidatingAdmissionPolicy>().with_status(),
        policy::<admission::ValidatingAdmissionPolicyBinding>(),
        policy::<admission::ValidatingWebhookConfiguration>(),
        row::<apiextensions::CustomResourceDefinition>()
            .short(&["crd", "crds"])
            .category("api-extensions")
            .counted()
            .conditional(),
        row::<apiregistration::APIService>().category("api-extensions").with_status().conditional(),
        row::<coordination::Lease>().created_by_put().conditional(),
        row::<discovery::EndpointSlice>().generated(),
        row::<events::Event>().short(&["ev"]).created_by_put().selecting(regarding_fields()).stored_as("", "events"),
        row::<networking::Ingress>().short(&["ing"]).counted(),
        row::<networking::IngressClass>().generated(),
        row::<networking::NetworkPolicy>().short(&["netpol"]).generated(),
        row::<node::RuntimeClass>().created_by_put().conditional(),
        row::<rbac::ClusterRole>().created_by_put(),
        row::<rbac::ClusterRoleBinding>().created_by_put(),
        row::<rbac::Role>().created_by_put(),
        row::<rbac::RoleBinding>().created_by_put(),
        row::<scheduling::PriorityClass>().short(&["pc"]).generated(),
        row::<storage::StorageClass>().short(&["sc"]),
    ]
}

/// Webhook configurations, admission policies and their bindings.
fn policy<T>() -> Kind
where
    T: Resource<Scope: Scope> + Serialize + DeserializeOwned,
{
    row::<T>().category("api-extensions").generated().conditional()
}

/// Reviews: they return a result and are not stored.
fn reviews() -> Vec<Kind> {
    vec![
        review::<authorization::LocalSubjectAccessReview>(),
        review::<authorization::SelfSubjectAccessReview>(),
        review::<authorization::SelfSubjectRulesReview>(),
        review::<authorization::SubjectAccessReview>(),
        review::<authentication::TokenReview>(),
    ]
}

fn review<T>() -> Kind
where
    T: Resource<Scope: Scope> + Serialize + DeserializeOwned,
{
    let mut kind = row::<T>();
    kind.verbs = vec![Verb::Create];
    kind
}

fn pod() -> Kind {
    let mut kind = row::<core::Pod>().short(&["po"]).all().with_status().selecting(pod_fields());
    let foreign = Some(("policy", "v1"));
    kind.others = vec![
        Subresource { name: "eviction", kind: "Eviction", foreign, verbs: &[Verb::Create] },
        Subresource { name: "log", kind: "Pod", foreign: None, verbs: &[Verb::Get] },
    ];
    kind
}

fn service_account() -> Kind {
    let mut kind = row::<core::ServiceAccount>().short(&["sa"]);
    let foreign = Some(("authentication.k8s.io", "v1"));
    kind.others = vec![Subresource { name: "token", kind: "TokenRequest", foreign, verbs: &[Verb::Create] }];
    kind
}

fn namespace() -> Kind {
    let mut kind = row::<core::Namespace>().short(&["ns"]).with_status();
    kind.fields = vec![Selectable::plain("status.phase")];
    kind.others = vec![Subresource { name: "finalize", kind: "Namespace", foreign: None, verbs: &[Verb::Update] }];
    kind.verbs.retain(|verb| *verb != Verb::DeleteCollection);
    kind
}

const REFERENCE: [&str; 7] = ["apiVersion", "fieldPath", "kind", "name", "namespace", "resourceVersion", "uid"];

/// The fields of a reference under their names in one of the Event groups; a stored Event may have either name.
fn reference(name: &str) -> Vec<Selectable> {
    let field = |field| {
        let pointers = [format!("/involvedObject/{field}"), format!("/regarding/{field}")];
        Selectable::at(&format!("{name}.{field}"), &pointers.each_ref().map(String::as_str), Absent::Empty)
    };
    REFERENCE.into_iter().map(field).collect()
}

const REPORTER: [&str; 2] = ["/reportingComponent", "/reportingController"];

fn event_fields() -> Vec<Selectable> {
    let mut fields = reference("involvedObject");
    fields.extend(["reason", "type"].map(Selectable::plain));
    fields.push(Selectable::at("reportingComponent", &REPORTER, Absent::Empty));
    let source = ["/source/component", "/deprecatedSource/component", REPORTER[0], REPORTER[1]];
    fields.push(Selectable::at("source", &source, Absent::Empty));
    fields
}

fn regarding_fields() -> Vec<Selectable> {
    let mut fields = reference("regarding");
    fields.extend(["reason", "type"].map(Selectable::plain));
    fields.push(Selectable::at("reportingController", &REPORTER, Absent::Empty));
    fields
}

fn pod_fields() -> Vec<Selectable> {
    let plain = [
        "spec.nodeName",
        "spec.restartPolicy",
        "spec.schedulerName",
        "spec.serviceAccountName",
        "status.nominatedNodeName",
        "status.phase",
        "status.podIP",
    ];
    let mut fields: Vec<_> = plain.into_iter().map(Selectable::plain).collect();
    fields.push(Selectable::at("status.podIPs", &["/status/podIPs/0/ip", "/status/podIP"], Absent::Empty));
    fields
}

fn node_fields() -> Vec<Selectable> {
    vec![Selectable::at("spec.unschedulable", &["/spec/unschedulable"], Absent::False)]
}

fn service_fields() -> Vec<Selectable> {
    ["spec.clusterIP", "spec.type"].into_iter().map(Selectable::plain).collect()
}

fn job_fields() -> Vec<Selectable> {
    vec![Selectable::at("status.successful", &["/status/succeeded"], Absent::Zero)]
}

/// A kind with the most common traits: all verbs, unconditional updates, neither status nor generation.
fn row<T>() -> Kind
where
    T: Resource<Scope: Scope> + Serialize + DeserializeOwned,
{
    Kind {
        group: T::GROUP.to_owned(),
        version: T::VERSION.to_owned(),
        kind: T::KIND.to_owned(),
        plural: T::URL_PATH_SEGMENT.to_owned(),
        singular: T::KIND.to_lowercase(),
        list_kind: format!("{}List", T::KIND),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: T::Scope::NAMESPACED,
        storage: Storage::new(T::GROUP, T::URL_PATH_SEGMENT),
        verbs: VERBS.to_vec(),
        status: false,
        scale: None,
        others: Vec::new(),
        generation: false,
        unconditional_update: true,
        create_on_update: false,
        fields: Vec::new(),
        origin: Origin::Builtin(Decode::of::<T>()),
    }
}

/// The verbs in the order of discovery for built-in kinds; custom kinds have a different order.
const VERBS: [Verb; 8] =
    [Verb::Create, Verb::Delete, Verb::DeleteCollection, Verb::Get, Verb::List, Verb::Patch, Verb::Update, Verb::Watch];

trait Scope {
    const NAMESPACED: bool;
}

impl Scope for NamespaceResourceScope {
    const NAMESPACED: bool = true;
}

impl Scope for ClusterResourceScope {
    const NAMESPACED: bool = false;
}

/// The methods by which a row changes the common traits.
impl Kind {
    fn short(self, names: &[&str]) -> Self {
        Self { short_names: names.iter().map(|&name| name.to_owned()).collect(), ..self }
    }

    fn category(self, name: &str) -> Self {
        Self { categories: vec![name.to_owned()], ..self }
    }

    /// Adds the kind to the category of `kubectl get all`.
    fn all(self) -> Self {
        self.category("all")
    }

    fn with_status(self) -> Self {
        Self { status: true, ..self }
    }

    fn generated(self) -> Self {
        Self { generation: true, ..self }
    }

    /// Adds a status and a generation.
    fn counted(self) -> Self {
        self.with_status().generated()
    }

    fn conditional(self) -> Self {
        Self { unconditional_update: false, ..self }
    }

    fn created_by_put(self) -> Self {
        Self { create_on_update: true, ..self }
    }

    fn selecting(self, fields: Vec<Selectable>) -> Self {
        Self { fields, ..self }
    }

    fn stored_as(self, group: &str, plural: &str) -> Self {
        Self { storage: Storage::new(group, plural), ..self }
    }

    fn scaled(self) -> Self {
        let scale = Scale {
            spec_replicas: "/spec/replicas".to_owned(),
            status_replicas: "/status/replicas".to_owned(),
            selector: Some(Selector::Object("/spec/selector".to_owned())),
        };
        Self { scale: Some(scale), ..self }
    }
}
