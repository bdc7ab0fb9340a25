//! The kinds of rendered objects: those that the step declares, or with `dependents(any)` whatever the API server serves.

use serde_json::Value;

use super::entry::Entry;
use super::error::{AGAIN, DependentsError};
use super::lookup::calls_of;
use super::reach::{reach, unreachable};
use super::templates::Rendered;
use crate::dependent_rules::manifest::{InvalidManifest, TypeMeta};
use crate::kind::KindInfo;
use crate::pipeline::state::PassState;
use crate::wiring::{How, Relation, StepWiring};

/// The entries of rendered objects. `relations`: those that the step declares.
pub(super) async fn entries_of(
    state: &PassState,
    relations: &[Relation],
    rendered: Vec<Rendered>,
) -> Result<Vec<Entry>, DependentsError> {
    let types: Result<Vec<TypeMeta>, InvalidManifest> = rendered.iter().map(type_of).collect();
    let types = types?;
    let kept = relations.iter().filter(|relation| relation.how == How::Keeps);
    let declared: Vec<KindInfo> = kept.filter_map(|relation| relation.kind).map(|kind| kind()).collect();
    let others = match state.step.is_some_and(StepWiring::keeps_any) {
        true => undeclared(state, &declared, &rendered, &types).await?,
        false => Vec::new(),
    };
    let entries = rendered.into_iter().zip(types).map(|(rendered, of)| match find(&declared, &of) {
        Some(kind) => entry(rendered, kind, &of),
        None => match find(&others, &of) {
            Some(kind) => Ok(Entry::rendered(kind.in_version(&of.version), rendered.object)),
            None => {
                let problem = format!("the step does not declare it; add `kinds(\"{of}\")` to its `dependents(..)`");
                Err(InvalidManifest::new(shown(&rendered, &of), "kind", problem))
            }
        },
    });
    entries.collect::<Result<_, InvalidManifest>>().map_err(Into::into)
}

/// The kinds that the step does not declare: they are watched already, defined by a CRD of the set, or found on the API server.
async fn undeclared(
    state: &PassState,
    declared: &[KindInfo],
    rendered: &[Rendered],
    types: &[TypeMeta],
) -> Result<Vec<KindInfo>, DependentsError> {
    let backend = state.backend.clone();
    let (calls, step) = (calls_of(&*backend)?, state.step_name());
    let mut unknown: Vec<TypeMeta> = types.iter().filter(|of| find(declared, of).is_none()).cloned().collect();
    unknown.sort_unstable();
    unknown.dedup();
    if unknown.is_empty() {
        return Ok(Vec::new());
    }
    reach(state, calls, step).await?;
    let watched = unknown.iter().filter_map(|of| calls.watched_kind(step, &of.group, &of.kind));
    let crds = rendered.iter().zip(types).filter(|(_, of)| is_crd(of));
    let defined = crds.filter_map(|(rendered, _)| defined_kind(&rendered.object.value()));
    let mut kinds: Vec<KindInfo> = watched.chain(defined).collect();
    unknown.retain(|of| find(&kinds, of).is_none());
    if !unknown.is_empty() {
        let found = calls.served_kinds(step, &unknown).await;
        kinds.extend(found.map_err(|error| unreachable(calls, step, error))?);
        unknown.retain(|of| find(&kinds, of).is_none());
    }
    match unknown.first() {
        None => Ok(kinds),
        Some(of) => {
            let text =
                format!("the API server does not serve {of}; install its CRD, or correct `apiVersion` and `kind`");
            Err(DependentsError::KindMissing(text, AGAIN))
        }
    }
}

fn find<'a>(kinds: &'a [KindInfo], of: &TypeMeta) -> Option<&'a KindInfo> {
    kinds.iter().find(|kind| kind.resource.group == of.group && kind.resource.kind == of.kind)
}

fn type_of(rendered: &Rendered) -> Result<TypeMeta, InvalidManifest> {
    let of = TypeMeta::read(&rendered.object.head());
    of.map_err(|error| InvalidManifest { object: format!("an object of {}", rendered.file), ..error })
}

fn shown(Rendered { file, object }: &Rendered, of: &TypeMeta) -> String {
    let head = object.head();
    let name = head["metadata"]["name"].as_str().unwrap_or("without a name");
    format!("{} {name} of {file}", of.kind)
}

/// The object, if the step declares its kind in its version.
fn entry(rendered: Rendered, kind: &KindInfo, of: &TypeMeta) -> Result<Entry, InvalidManifest> {
    if kind.resource.version != of.version {
        let declared = &kind.resource.api_version;
        let problem = format!("it is {}, but the step declares {declared}; write that", of.api_version());
        return Err(InvalidManifest::new(shown(&rendered, of), "apiVersion", problem));
    }
    Ok(Entry::rendered(kind.clone(), rendered.object))
}

fn is_crd(of: &TypeMeta) -> bool {
    (&*of.group, &*of.kind) == ("apiextensions.k8s.io", "CustomResourceDefinition")
}

/// The kind that a CRD defines. An instance may be in the same set, before the API server serves its kind.
fn defined_kind(object: &Value) -> Option<KindInfo> {
    let text = |at: &str| object["spec"].pointer(at)?.as_str();
    let version = text("/versions/0/name").or_else(|| text("/version"))?;
    let (kind, plural) = (text("/names/kind")?, text("/names/plural")?);
    let found = KindInfo::by_text(&format!("{}/{version}", text("/group")?), kind, Some(plural));
    Some(if text("/scope") == Some("Cluster") { found.cluster_scoped() } else { found })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_crd_defines_a_kind() {
        let names = json!({ "kind": "Fish", "plural": "fishes" });
        let mut crd = json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "spec": { "group": "sea.example.com", "names": names, "scope": "Namespaced",
                "versions": [{ "name": "v2" }, { "name": "v1" }] } });
        let kind = defined_kind(&crd).unwrap();
        assert_eq!(kind, KindInfo::by_text("sea.example.com/v2", "Fish", Some("fishes")));
        assert_eq!(&*kind.in_version("v1").resource.api_version, "sea.example.com/v1");
        crd["spec"]["scope"] = json!("Cluster");
        assert!(!defined_kind(&crd).unwrap().namespaced);
    }
}
