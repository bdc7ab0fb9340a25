//! A step that runs for every item of a loop. It begins and ends once, and the errors of its items are merged into one.

use std::marker::PhantomData;

use super::run::{Pipeline, StepTag, how, settled};
use super::{Cx, Limit, Pass};
use crate::outcome::{Class, PassError};
use crate::pipeline::state::deciding;
use crate::pipeline::step::SubReconciler;

/// The number of item errors in the message; the others are only counted.
const LISTED: usize = 3;

/// The accumulated results of the items so far.
#[derive(Debug)]
pub struct Items<S: SubReconciler, O> {
    set_bits: u64,
    count: usize,
    failed: Vec<Option<PassError>>,
    /// The condition that `fail` named, one entry for each failed item.
    named: Vec<Option<usize>>,
    seen: fn(&O) -> &S::Object,
}

/// Starts the step, before the first item.
pub fn begin_each<S: SubReconciler, O>(StepTag(seen): StepTag<S, O>, pass: &mut Pass<'_>) -> Items<S, O> {
    pass.state.begin(const { &S::WIRING });
    Items { set_bits: 0, count: 0, failed: Vec::new(), named: Vec::new(), seen }
}

impl<O, C> Pipeline<O, C> {
    /// Starts the next item of a loop, with the same values as at the start of a step.
    pub fn next<'a, 'o, S: SubReconciler>(
        &self,
        items: &Items<S, O>,
        object: &'o O,
        pass: &'a mut Pass<'_>,
    ) -> (Cx<'a, S>, &'o S::Object, Limit) {
        let limit = Limit::of(const { &S::WIRING }, pass.state);
        let cx = Cx { state: pass.state, set_bits: items.set_bits, named: None, step: PhantomData };
        (cx, (items.seen)(object), limit)
    }
}

/// Records how an item ended. An ignored error counts as success.
#[expect(clippy::needless_pass_by_value, reason = "the context of an item ends here")]
pub fn ended<S: SubReconciler, O, T>(items: &mut Items<S, O>, done: Option<Result<T, S::Error>>, cx: Cx<'_, S>) {
    items.set_bits = cx.set_bits;
    items.count += 1;
    if let Some(pass_error) = settled(done, cx.state).err().filter(|pass_error| pass_error.class != Class::Ignored) {
        items.failed.push(Some(pass_error));
        items.named.push(cx.named);
    }
}

/// Ends the step, after the last item.
///
/// # Errors
/// Fails if an item failed. The most severe error decides, and the message lists several.
pub fn finish_each<S: SubReconciler, O>(items: Items<S, O>, pass: &mut Pass<'_>) -> Result<(), PassError> {
    pass.state.running = false;
    let decider = deciding(&items.failed);
    pass.state.ended(how(false, decider.and_then(|at| items.failed[at].as_ref())));
    let Some(decider) = decider else {
        if !pass.state.is_halted() {
            pass.state.succeed(items.set_bits);
        }
        return Ok(());
    };
    let message = message(&items);
    let (named, pass_error) = (items.named[decider], items.failed.into_iter().nth(decider).flatten());
    pass_error.map_or(Ok(()), |pass_error| {
        pass.state.fail(named, pass_error.reason, &message);
        Err(PassError { message, ..pass_error })
    })
}

/// The error message, such as `2 of 5 failed: alpha: no such tag; beta: no such tag`.
fn message<S: SubReconciler, O>(items: &Items<S, O>) -> String {
    let texts: Vec<&str> = items.failed.iter().flatten().map(|pass_error| pass_error.message.as_str()).collect();
    let listed = texts.iter().take(LISTED).copied().collect::<Vec<_>>().join("; ");
    let more = texts.len().saturating_sub(LISTED);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    format!("{} of {} failed: {listed}{more}", texts.len(), items.count)
}
