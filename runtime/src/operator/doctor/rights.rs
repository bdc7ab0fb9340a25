//! The rights: whether the roles of the operator are granted.

use std::collections::BTreeMap;

use futures::StreamExt;
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use k8s_openapi::api::rbac::v1::PolicyRule;
use kube::api::PostParams;
use kube::{Api, Client};

use super::finding::Finding;
use crate::client::why;
use crate::introspection::Roles;
use crate::schema::program;

const CHECK: &str = "right";

/// How many questions are asked at a time.
const AT_A_TIME: usize = 16;

/// The same right for several verbs, to be printed in one line.
type Place = (String, Option<String>);

/// Checks each rule of these roles by a question to the API server.
pub(super) async fn check(client: &Client, roles: &[Roles]) -> Vec<Finding> {
    let mut wanted: Vec<ResourceAttributes> = roles.iter().flat_map(questions).collect();
    wanted.dedup();
    let api: Api<SelfSubjectAccessReview> = Api::all(client.clone());
    let asked = wanted.len();
    let ask = |attributes: ResourceAttributes| {
        let api = api.clone();
        async move { (is_allowed(&api, &attributes).await, attributes) }
    };
    let answers: Vec<_> = futures::stream::iter(wanted).map(ask).buffered(AT_A_TIME).collect().await;
    if let Some((Err(error), _)) = answers.iter().find(|(answer, _)| answer.is_err()) {
        let text = format!("the API server does not answer questions about rights: {}", why(error));
        return vec![Finding::unknown(CHECK, text)];
    }
    let mut denied: BTreeMap<Place, Vec<String>> = BTreeMap::new();
    for (_, attributes) in answers.into_iter().filter(|(answer, _)| matches!(answer, Ok(false))) {
        denied.entry(place(&attributes)).or_default().extend(attributes.verb);
    }
    if denied.is_empty() {
        return vec![Finding::ok(CHECK, format!("all {asked} rights are granted"))];
    }
    let help = format!("{} rbac --service-account NAMESPACE/NAME | kubectl apply -f -", program());
    let text = |((resource, namespace), verbs): (Place, Vec<String>)| {
        let place = namespace.map_or_else(String::new, |namespace| format!(" in the namespace {namespace}"));
        Finding::fail(CHECK, format!("the right to {} {resource}{place} is denied", verbs.join(", ")), help.clone())
    };
    denied.into_iter().map(text).collect()
}

/// The questions for all rules. Without its name, a right to one object is denied.
fn questions(roles: &Roles) -> Vec<ResourceAttributes> {
    let cluster = roles.cluster_role.iter().map(|role| (None, &role.rules));
    let own = roles.roles.iter().map(|role| (role.metadata.namespace.as_ref(), &role.rules));
    let rules =
        cluster.chain(own).flat_map(|(namespace, rules)| rules.iter().flatten().map(move |rule| (namespace, rule)));
    rules.flat_map(|(namespace, rule)| of_rule(rule, namespace)).collect()
}

fn of_rule(rule: &PolicyRule, namespace: Option<&String>) -> Vec<ResourceAttributes> {
    let names: Vec<Option<&String>> = match &rule.resource_names {
        Some(names) if !names.is_empty() => names.iter().map(Some).collect(),
        _ => vec![None],
    };
    let mut all = Vec::new();
    for group in rule.api_groups.iter().flatten() {
        for resource in rule.resources.iter().flatten() {
            for name in &names {
                let (resource, subresource) = match resource.split_once('/') {
                    Some((resource, subresource)) => (resource, Some(subresource.to_owned())),
                    None => (resource.as_str(), None),
                };
                let attributes = |verb: &String| ResourceAttributes {
                    group: Some(group.clone()),
                    resource: Some(resource.to_owned()),
                    subresource: subresource.clone(),
                    name: name.cloned(),
                    namespace: namespace.cloned(),
                    verb: Some(verb.clone()),
                    ..ResourceAttributes::default()
                };
                all.extend(rule.verbs.iter().map(attributes));
            }
        }
    }
    all
}

/// `deployments.apps/scale "web"`, and the namespace.
fn place(attributes: &ResourceAttributes) -> Place {
    let part = |mark: &str, part: &Option<String>, end: &str| match part.as_deref() {
        Some(text) if !text.is_empty() => format!("{mark}{text}{end}"),
        _ => String::new(),
    };
    let resource = part("", &attributes.resource, "") + &part(".", &attributes.group, "");
    let resource = resource + &part("/", &attributes.subresource, "") + &part(" \"", &attributes.name, "\"");
    (resource, attributes.namespace.clone())
}

async fn is_allowed(api: &Api<SelfSubjectAccessReview>, attributes: &ResourceAttributes) -> Result<bool, kube::Error> {
    let spec = SelfSubjectAccessReviewSpec {
        resource_attributes: Some(attributes.clone()),
        ..SelfSubjectAccessReviewSpec::default()
    };
    let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
    let answer = api.create(&PostParams::default(), &review).await?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}
