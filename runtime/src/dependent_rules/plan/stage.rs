//! The next calls for the wanted objects: wave by wave, until something is not ready.

use std::collections::HashSet;

use super::item::{Item, Plan};
use super::live::Live;
use super::state::{Change, State, state};
use crate::dependent_rules::policy::UpdatePolicy;

/// A call for a wanted object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// It is created, or taken over if an object of this name exists and the adoption policy allows it.
    Create,
    /// It is updated.
    Update(Method),
    /// It is deleted, and created again when it is gone.
    Recreate,
    /// A record is stored that it was ready. It is deleted afterwards.
    Record,
    /// It is deleted, as its purge order says.
    Purge,
}

/// How an object is updated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Server-side apply.
    Apply,
    /// Server-side apply. If a field is immutable, the object is deleted and created again.
    ApplyOrRecreate,
    /// Server-side apply, after fields that were set with kubectl became fields of the operator.
    Override,
    /// The object is replaced.
    Replace,
}

/// Why a set is not ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait<'a> {
    /// An object that may not be taken over has the name.
    Foreign,
    /// The API server refused the last call.
    Refused,
    /// The object is being deleted.
    Terminating,
    /// The controller of the object is not done. Contains the cause.
    InProgress(&'a str),
    /// The controller of the object failed. Contains the cause.
    Failed(&'a str),
}

/// Whether a record says that an object was ready and has been purged.
pub type Completed<'c> = &'c dyn Fn(&Item) -> bool;

/// The next calls, and what they wait for.
#[derive(Debug, Default, PartialEq)]
pub struct Stage<'a> {
    /// The wave that is not ready; `None`: all are.
    pub wave: Option<i16>,
    /// The calls, by the place of the object in the plan, in the order in which they start.
    pub actions: Vec<(usize, Action)>,
    /// The objects that the set waits for.
    pub waits: Vec<(usize, Wait<'a>)>,
}

impl Stage<'_> {
    /// Whether every object is as its manifest and ready.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.actions.is_empty() && self.waits.is_empty()
    }
}

/// Determines the next calls.
///
/// Objects that are to be purged come first. Then the first wave and the first part of it that is not ready decides. When a wave is ready, the
/// objects with this purge order are recorded and deleted. An object that another writer has changed is corrected at once, whatever its wave.
#[must_use]
pub fn stage<'a>(plan: &Plan, live: &dyn Fn(&Item) -> Live<'a>, completed: Completed<'_>) -> Stage<'a> {
    // A record of the time when the object had a purge order does not count.
    let is_completed = |item: &Item| item.settings.purge_order.is_some() && completed(item);
    let states: Vec<_> = plan.items.iter().map(|item| state(item, live(item), is_completed(item))).collect();
    let all = || plan.items.iter().zip(&states).enumerate();
    let corrections = all().filter(|(_, (_, state))| is_correction(state));
    let corrections: Vec<_> = corrections.filter_map(|(i, (item, state))| Some((i, action(item, state)?))).collect();
    let purges: Vec<_> = all().filter(|(_, (_, state))| matches!(state, State::Purged | State::Purging)).collect();
    let mut next = if purges.is_empty() {
        first_wave(plan, &states)
    } else {
        let wave = purges.first().map(|(_, (item, _))| item.purge_wave().unwrap_or_default());
        part(wave, purges.into_iter())
    };
    let others: HashSet<usize> = next.actions.iter().map(|(i, _)| *i).collect();
    let corrections: Vec<_> = corrections.into_iter().filter(|(i, _)| !others.contains(i)).collect();
    next.actions.splice(0..0, corrections);
    next
}

/// The first part of a wave that is not ready, or whose purges are due.
fn first_wave<'a>(plan: &Plan, states: &[State<'a>]) -> Stage<'a> {
    let all = || plan.items.iter().zip(states).enumerate();
    let last = plan.waves().last();
    for wave in plan.waves() {
        let of_wave = || all().filter(move |(_, (item, _))| item.settings.apply_order == wave);
        let unready = of_wave().find(|(_, (_, state))| !matches!(state, State::Ready | State::Completed));
        if let Some((_, (first, _))) = unready {
            return part(Some(wave), of_wave().filter(|(_, (item, _))| item.part == first.part));
        }
        // A wave without objects is ready as soon as all before it are.
        let is_due = |item: &Item| item.purge_wave().is_some_and(|due| due <= wave || Some(wave) == last);
        let due = all().filter(|(_, (item, state))| is_due(item) && matches!(state, State::Ready));
        let actions: Vec<_> = due.map(|(i, _)| (i, Action::Record)).collect();
        if !actions.is_empty() {
            return Stage { wave: Some(wave), actions, waits: Vec::new() };
        }
    }
    Stage::default()
}

/// The calls and the waits of some objects.
fn part<'p, 'a: 'p>(wave: Option<i16>, all: impl Iterator<Item = (usize, (&'p Item, &'p State<'a>))>) -> Stage<'a> {
    let mut stage = Stage { wave, ..Stage::default() };
    for (i, (item, state)) in all {
        stage.actions.extend(action(item, state).map(|action| (i, action)));
        stage.waits.extend(wait(state).map(|wait| (i, wait)));
    }
    stage
}

fn is_correction(state: &State<'_>) -> bool {
    matches!(state, State::Drifted | State::Outdated(Change::Reapply))
}

/// The call for an object in this state.
fn action(item: &Item, state: &State<'_>) -> Option<Action> {
    let is_content = matches!(state, State::Outdated(Change::Content));
    Some(match state {
        State::Absent => Action::Create,
        State::Purged => Action::Purge,
        State::Outdated(_) | State::Drifted => match item.settings.update {
            UpdatePolicy::Recreate if is_content => Action::Recreate,
            UpdatePolicy::ApplyOrRecreate if is_content => Action::Update(Method::ApplyOrRecreate),
            // Recreation is for a new content only: a healthy object does not go for any other reason.
            UpdatePolicy::Apply | UpdatePolicy::ApplyOrRecreate | UpdatePolicy::Recreate => {
                Action::Update(Method::Apply)
            }
            UpdatePolicy::Override => Action::Update(Method::Override),
            UpdatePolicy::Replace => Action::Update(Method::Replace),
        },
        _ => return None,
    })
}

fn wait<'a>(state: &State<'a>) -> Option<Wait<'a>> {
    Some(match state {
        State::Foreign => Wait::Foreign,
        State::Refused => Wait::Refused,
        State::Terminating | State::Purging => Wait::Terminating,
        State::InProgress(why) => Wait::InProgress(why),
        State::Failed(why) => Wait::Failed(why),
        _ => return None,
    })
}
