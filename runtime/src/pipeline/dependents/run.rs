//! One run over a plan: sends calls, stage by stage, until there is nothing to send.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures::FutureExt;

use super::cause::{described, immutable, limited};
use super::error::{AGAIN, DependentsError};
use super::lookup::{Known, Refused, StageEnd, completed, concurrently, content, is_completed, live_of};
use super::namespaces::{create_missing, missing_namespace, refused, terminating};
use crate::api::{ApiError, DependentCalls, ObjectCall};
use crate::dependent_rules::manifest::ObjectId;
use crate::dependent_rules::order::has_pods;
use crate::dependent_rules::plan::{Action, Item, LiveObject, Method, Part, Plan, Stage, stage};
use crate::dependent_rules::policy::MissingNamespacesPolicy;
use crate::outcome::reporting::EventLevel;
use crate::pipeline::context::store;
use crate::pipeline::state::PassState;

/// When a pass tries again to create an instance of a type that the set has just created.
const UNTIL_SERVED: Duration = Duration::from_secs(1);

/// One run over a plan.
pub(super) struct Run<'a> {
    pub(super) calls: &'a dyn DependentCalls,
    pub(super) plan: &'a Plan,
    pub(super) step: &'static str,
    /// Whether every write undoes what another client did.
    pub(super) corrects: bool,
    /// What happens if the namespace of an object does not exist.
    pub(super) namespaces: MissingNamespacesPolicy,
}

/// The state in which there is nothing to send.
pub(super) struct Ended {
    pub(super) live: Known,
    pub(super) stage: StageEnd,
    pub(super) refused: Refused,
}

impl Run<'_> {
    /// Sends calls until there is nothing to send.
    pub(super) async fn to_the_end(&self, state: &mut PassState) -> Result<Ended, DependentsError> {
        let (mut refused, mut tried) = (Refused::new(), BTreeSet::new());
        loop {
            if self.calls.must_end() {
                let why = "the component has changed, or the pass takes long; it starts again";
                return Err(ApiError::Conflict(why.into()).into());
            }
            self.calls.look(Some(self.step));
            let live = self.live();
            let Stage { wave, actions, waits } = self.stage(&live, &refused, &completed(state));
            if actions.is_empty() {
                let waits = waits.into_iter().map(|(i, _)| i).collect();
                return Ok(Ended { live, stage: StageEnd { wave, waits }, refused });
            }
            let records: Vec<usize> =
                actions.iter().filter(|(_, action)| *action == Action::Record).map(|(i, _)| *i).collect();
            if !records.is_empty() {
                self.complete(state, &records).await?;
                continue;
            }
            self.perform(&actions, &live, &mut refused).await;
            if self.namespaces == MissingNamespacesPolicy::Create {
                for name in create_missing(self.calls, self.step, &mut refused, &mut tried).await {
                    let note = format!("created namespace {name}, which stays when the component is deleted");
                    state.events.push(EventLevel::Normal, "NamespaceCreated", &note);
                }
            }
        }
    }

    fn live(&self) -> Known {
        let known = self.plan.items.iter().filter_map(|item| {
            let kept = self.calls.get(self.step, &item.id)?;
            // An object of another set of the component, or with former names, gets the mark of this one.
            let applied = kept.live.applied.filter(|_| *kept.step == *self.step && !kept.is_former);
            Some((item.id.clone(), LiveObject { applied, ..kept.live }))
        });
        known.collect()
    }

    fn stage<'l>(&self, live: &'l Known, refused: &Refused, completed: &BTreeMap<String, String>) -> Stage<'l> {
        let refused: HashSet<&ObjectId> = refused.keys().map(|i| &self.plan.items[*i].id).collect();
        stage(self.plan, &|item| live_of(live, refused.contains(&item.id), &item.id), &|item| {
            is_completed(completed, item)
        })
    }

    /// Stores that objects were ready, before they are deleted.
    async fn complete(&self, state: &mut PassState, records: &[usize]) -> Result<(), DependentsError> {
        let items = records.iter().map(|i| &self.plan.items[*i]);
        let status = state.sets.entry(state.set_key()).or_default();
        status.completed.extend(items.map(|item| (item.id.to_string(), content(item))));
        store(state, false).await?;
        Ok(())
    }

    /// Sends the calls of a stage: those of one rank at the same time, the ranks one after another. When the API server says that it is busy,
    /// or the pass must end, the rest is not sent.
    async fn perform(&self, actions: &[(usize, Action)], live: &Known, refused: &mut Refused) {
        let rank = |(i, _): &(usize, Action)| self.plan.items[*i].rank;
        let is_busy = AtomicBool::new(false);
        for group in actions.chunk_by(|one, other| rank(one) == rank(other)) {
            let act = |(i, action): &(usize, Action)| {
                let (i, action, is_busy) = (*i, *action, &is_busy);
                async move {
                    if is_busy.load(Ordering::Relaxed) || self.calls.must_end() {
                        return Some((i, unsent(&self.plan.items[i].id)));
                    }
                    let refused = self.act(i, action, live).await.err()?;
                    if matches!(refused, DependentsError::Call(ApiError::Busy(..))) {
                        is_busy.store(true, Ordering::Relaxed);
                    }
                    Some((i, refused))
                }
                .boxed()
            };
            refused.extend(concurrently(group.iter().map(act)).await);
        }
    }

    async fn act(&self, i: usize, action: Action, live: &Known) -> Result<(), DependentsError> {
        let item = &self.plan.items[i];
        let live = live.get(&item.id);
        let Self { calls, step, .. } = *self;
        let Err(error) = self.send(i, action, live).await else { return Ok(()) };
        if let Some(namespace) = missing_namespace(&item.id, &error) {
            return Err(refused(&item.id, &namespace));
        }
        if let Some(waits) = terminating(&item.id, &error) {
            return Err(waits);
        }
        if matches!(error, ApiError::NotServed(_)) {
            let again = if item.part == Part::Instance { UNTIL_SERVED } else { AGAIN };
            let text = format!("{}: the API server does not serve its kind; install the CRD", item.id);
            return Err(DependentsError::KindMissing(text, again));
        }
        if let Some(refused) = limited(&item.id, &error) {
            return Err(refused);
        }
        let Some(field) = immutable(&error) else {
            return Err(match described(&item.id, error).into() {
                DependentsError::Foreign(text, _) if calls.is_elsewhere(step) => {
                    DependentsError::Foreign(text, Some(AGAIN))
                }
                error => error,
            });
        };
        match (action, live) {
            (Action::Update(Method::ApplyOrRecreate), Some(live)) => {
                // An invalid manifest must not delete what runs.
                let tried = calls.send(step, ObjectCall::Try { item }).await;
                tried.map_err(|error| refused_field(&item.id, &field, &error.to_string()))?;
                self.delete(item, live).await.map_err(|error| described(&item.id, error).into())
            }
            _ => Err(refused_field(
                &item.id,
                &field,
                "set `evenkeel.dev/update-policy: apply-or-recreate`, or change it back",
            )),
        }
    }

    /// Sends the call of an action.
    async fn send(&self, i: usize, action: Action, live: Option<&LiveObject>) -> Result<(), ApiError> {
        let item = &self.plan.items[i];
        let Self { calls, step, corrects, .. } = *self;
        let apply = |overrides| ObjectCall::Apply { item, live, overrides, corrects };
        match (action, live) {
            (Action::Update(Method::Replace), Some(live)) => calls.send(step, ObjectCall::Replace { item, live }).await,
            (Action::Update(Method::Override), _) => calls.send(step, apply(true)).await,
            (Action::Create | Action::Update(_), _) => calls.send(step, apply(false)).await,
            (Action::Purge | Action::Recreate, Some(live)) => self.delete(item, live).await,
            (Action::Record | Action::Purge | Action::Recreate, _) => Ok(()),
        }
    }

    async fn delete(&self, item: &Item, live: &LiveObject) -> Result<(), ApiError> {
        let (id, foreground) = (&item.id, has_pods(&item.id.group, &item.id.kind));
        self.calls.send(self.step, ObjectCall::Delete { id, live, foreground }).await
    }
}

/// The error of a call that is left to the next pass.
fn unsent(id: &ObjectId) -> DependentsError {
    ApiError::Busy(None, format!("{id}: left to the next pass, since the API server is busy").into()).into()
}

fn refused_field(id: &ObjectId, field: &str, cure: &str) -> DependentsError {
    let field = if field.is_empty() { "a field" } else { field };
    DependentsError::FieldImmutable(format!("{id}: {field} cannot be changed: {cure}"))
}
