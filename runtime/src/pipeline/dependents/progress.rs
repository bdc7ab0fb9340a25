//! How far a set is, as numbers and as a message.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::DependentsError;
use super::lookup::{Known, Refused, is_completed, live_of};
use super::run::Ended;
use super::status::SetState;
use crate::api::KeptObject;
use crate::dependency::ObjectStatus;
use crate::dependent_rules::plan::{Plan, State, state};
use crate::status::{NotReadyObject, SetObject, inventory};

/// The most errors that one message contains.
const ERRORS: usize = 3;

/// How long the message about one object may be, in characters.
const LONGEST: usize = 160;

/// How far a set is when there is nothing to send.
pub(super) struct Progress {
    wanted: usize,
    ready: usize,
    /// The wave that is waited for, with the number of its objects and of those that are ready.
    wave: Option<(i16, usize, usize)>,
    not_ready: Vec<NotReadyObject>,
    has_failed: bool,
}

impl Progress {
    pub(super) fn of(plan: &Plan, ended: &Ended, completed: &BTreeMap<String, String>) -> Self {
        let Ended { live, stage, refused } = ended;
        let states = states(plan, live, refused, completed);
        let of_wave = |wave: i16| {
            let in_wave = |i: &usize| plan.items[*i].settings.apply_order == wave;
            let all: Vec<usize> = (0..states.len()).filter(in_wave).collect();
            (wave, all.len(), all.iter().filter(|i| is_ready(&states[**i])).count())
        };
        let told = stage.waits.iter().map(|i| NotReadyObject {
            object: plan.items[*i].id.to_string(),
            wave: plan.items[*i].settings.apply_order,
            message: short(&match (refused.get(i), &states[*i]) {
                (Some(error), _) => error.to_string(),
                (None, State::InProgress(why) | State::Failed(why)) => (*why).to_owned(),
                (None, _) => "it is being deleted".to_owned(),
            }),
            ..NotReadyObject::default()
        });
        Self {
            wanted: plan.items.len(),
            ready: states.iter().filter(|state| is_ready(state)).count(),
            wave: stage.wave.map(of_wave),
            not_ready: told.collect(),
            has_failed: stage.waits.iter().any(|i| matches!(states[*i], State::Failed(_))),
        }
    }

    /// The state for the status of the component.
    pub(super) fn state(&self, applied: String, objects: Vec<SetObject>) -> SetState {
        SetState { wanted: self.wanted, ready: self.ready, not_ready: self.not_ready.clone(), applied, objects }
    }

    /// What is wrong with the set; `None`: it is as wanted and ready.
    pub(super) fn error(
        &self,
        refused: Refused,
        ready_within: Option<Duration>,
        waited: Duration,
    ) -> Option<DependentsError> {
        if let Some(error) = worst(refused) {
            return Some(error);
        }
        let first = self.not_ready.first()?;
        let wave = self.wave.map(|(wave, all, ready)| format!("wave {wave}: {ready} of {all} ready; "));
        let text = format!("{}{}: {}", wave.unwrap_or_default(), first.object, first.message);
        let left = ready_within.map(|limit| limit.saturating_sub(waited));
        Some(match left {
            Some(left) if left.is_zero() => DependentsError::TimedOut(text),
            left if self.has_failed => DependentsError::Failed(text, left),
            left => DependentsError::Progressing(text, left),
        })
    }
}

/// The states of all objects of a plan, in its order.
fn states<'a>(plan: &Plan, live: &'a Known, refused: &Refused, completed: &BTreeMap<String, String>) -> Vec<State<'a>> {
    let states = plan.items.iter().enumerate().map(|(i, item)| {
        let live = live_of(live, refused.contains_key(&i), &item.id);
        state(item, live, is_completed(completed, item))
    });
    states.collect()
}

const fn is_ready(state: &State<'_>) -> bool {
    matches!(state, State::Ready | State::Completed)
}

/// The objects of a set for its inventory, without those that were purged.
pub(super) fn listed(plan: &Plan, ended: &Ended, completed: &BTreeMap<String, String>) -> Vec<SetObject> {
    let states = states(plan, &ended.live, &ended.refused, completed);
    let kept = plan.items.iter().zip(&states).filter(|(_, state)| !matches!(state, State::Completed));
    inventory(kept.map(|(item, state)| SetObject {
        group: item.id.group.clone(),
        kind: item.id.kind.clone(),
        namespace: item.id.namespace.clone(),
        name: item.id.name.clone(),
        wave: item.settings.apply_order,
        ready: is_ready(state),
    }))
}

/// The first characters of a message. It may quote what others wrote.
fn short(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

/// The error of a stage: failed calls before refusals of other owners before those that only a change of the manifest ends.
fn worst(refused: Refused) -> Option<DependentsError> {
    let weight = |error: &DependentsError| match error {
        DependentsError::Call(_) => 0,
        DependentsError::Foreign(..) => 1,
        _ => 2,
    };
    let mut all: Vec<DependentsError> = refused.into_values().collect();
    all.sort_by_key(weight);
    let count = all.len();
    let texts: Vec<String> = all.iter().take(ERRORS).map(ToString::to_string).collect();
    let more = if count > ERRORS { format!("; and {} more objects", count - ERRORS) } else { String::new() };
    let text = format!("{}{more}", texts.join("; "));
    Some(match all.into_iter().next()? {
        first if count == 1 => first,
        DependentsError::Foreign(_, poll) => DependentsError::Foreign(text, poll),
        DependentsError::NamespaceMissing { namespace, .. } => DependentsError::NamespaceMissing { namespace, text },
        DependentsError::NamespaceTerminating(_) => DependentsError::NamespaceTerminating(text),
        DependentsError::FieldImmutable(_) => DependentsError::FieldImmutable(text),
        DependentsError::Call(error) => DependentsError::Call(error.with_message(text)),
        other => other,
    })
}

/// The first object of a set that is not ready, as an error. `None`: all are ready.
pub(super) fn unready(kept: &[KeptObject]) -> Option<DependentsError> {
    let waits = kept.iter().filter(|kept| kept.live.status != ObjectStatus::Current);
    let first = waits.clone().next()?;
    let text = format!("{}: {}", first.id, short(&first.live.status.to_string()));
    let is_failed = waits.clone().any(|kept| matches!(kept.live.status, ObjectStatus::Failed(_)));
    Some(if is_failed { DependentsError::Failed(text, None) } else { DependentsError::Progressing(text, None) })
}
