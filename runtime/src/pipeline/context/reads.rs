//! Reads of other objects by a step: the objects that a call selects, the relation and the decoding.

use crate::api::{ApiError, BoxFuture, Selection, Target};
use crate::kind::typed;
use crate::pipeline::state::PassState;
use crate::wiring::{How, Kind, KindInfo, Relation};

/// The relation for reads by a step that declares nothing, since it may do everything.
pub(super) const READ: Relation = Relation::new(How::Reads, None);
/// The same as [`READ`], for an object that the step requires.
pub(super) const WATCHED: Relation = Relation::new(How::WatchesByName, None);

/// The relation by which the step reads the kind. Watches take precedence.
pub(super) fn relation(declared: &[Relation], kind: &KindInfo, undeclared: Relation) -> Relation {
    let mut declared = declared.iter().filter(|relation| relation.is_of(kind));
    let best = declared.clone().find(|relation| relation.how.is_watch()).or_else(|| declared.next());
    best.copied().unwrap_or(undeclared)
}

/// The target for a name, in the namespace of the reconciled object if the kind is namespaced.
pub(super) fn target<K: Kind>(state: &PassState, name: &str) -> Target {
    let kind = KindInfo::of::<K>();
    let namespace = state.namespace.clone().filter(|_| kind.namespaced);
    Target { kind, namespace, name: name.to_owned() }
}

/// Gets an object by name.
pub(super) fn lookup<K: Kind>(
    state: &mut PassState,
    declared: &[Relation],
    name: &str,
    undeclared: Relation,
) -> BoxFuture<'static, Result<Option<K>, ApiError>> {
    let target = target::<K>(state, name);
    let relation = relation(declared, &target.kind, undeclared);
    if relation.how.is_watch() {
        state.references.insert(target.to_string());
    }
    let (step, backend) = (state.step_name(), state.backend.clone());
    Box::pin(async move {
        let text = target.to_string();
        let Some(object) = backend.get(step, relation, target).await? else { return Ok(None) };
        typed(&object).map(Some).map_err(|error| undecoded(&text, &error))
    })
}

/// The objects that a listing covers: those of a kind that the step watches by label, those under an index entry, or, for an owned kind,
/// those that the object owns.
pub(super) fn selection(
    state: &mut PassState,
    declared: &[Relation],
    kind: KindInfo,
    entry: Option<&str>,
) -> (Relation, Selection) {
    let mut of_kind = declared.iter().filter(|relation| relation.is_of(&kind));
    let selects = of_kind.clone().find(|relation| relation.how.selector().is_some());
    let relation = *selects.or_else(|| of_kind.next()).unwrap_or(&READ);
    let selector = relation.how.selector().unwrap_or_default();
    let all = Selection::new(kind, state.namespace.clone(), selector);
    let selection = entry.iter().fold(all, |all, entry| all.under(entry));
    if relation.how.is_watch() {
        state.references.insert(selection.to_string());
    }
    (relation, selection)
}

/// Lists the objects of a selection.
pub(super) fn listed<K: Kind>(
    state: &PassState,
    (relation, selection): (Relation, Selection),
) -> BoxFuture<'static, Result<Vec<K>, ApiError>> {
    let (step, backend) = (state.step_name(), state.backend.clone());
    Box::pin(async move {
        let text = selection.to_string();
        let objects = backend.list(step, relation, selection).await?;
        let decoded = objects.iter().map(|object| typed(object)).collect::<Result<Vec<K>, _>>();
        decoded.map_err(|error| undecoded(&text, &error))
    })
}

/// The error for an object that cannot be decoded as its type.
pub(super) fn undecoded(target: &str, error: &serde_json::Error) -> ApiError {
    ApiError::Failed(format!("{target} cannot be decoded: {error}").into())
}
