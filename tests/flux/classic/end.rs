//! The suites about the end of a run.

use evenkeel::flux::{
    AlwaysRequeue, Object, Reconciled, ResultBuilder, ResultFinalizer, ResultProcessor, RuntimeResult, SerialPatcher,
    SuccessType, Summarize, Target, record_reconcile_request,
};
use evenkeel_testkit::kstatus::{self, Mode, Rule, check};
use serde_json::{Value, json};

use super::fake::{Fake, document, fake, observed};
use super::input::{error, reconciled, rendered, runtime, seconds};
use super::memory::Memory;
use crate::value::{only, output, text, words};

/// The words of one target, borrowed from the case.
struct Words<'a>([Vec<&'a str>; 3], &'a str);

impl<'a> Words<'a> {
    fn of(target: &'a Value) -> Self {
        only(target, &["negativePolarity", "owned", "summarize", "target"]);
        Self(["owned", "summarize", "negativePolarity"].map(|key| words(&target[key])), text(&target["target"]))
    }

    fn target(&self) -> Target<'_> {
        let Self([owned, summarize, negative], type_) = self;
        Target { type_, owned, summarize, negative }
    }
}

fn words_of(input: &Value) -> Vec<Words<'_>> {
    input["targets"].as_array().into_iter().flatten().map(Words::of).collect()
}

pub(crate) fn block<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap().block_on(future)
}

pub(crate) fn summarize(input: &Value) -> Value {
    block(async {
        let (mut fake, words) = (fake(input), words_of(input));
        let memory = Memory::new(document(&fake));
        let mut patcher = SerialPatcher::new(&fake, &memory).unwrap();
        let targets: Vec<Target<'_>> = words.iter().map(Words::target).collect();
        let bipolar = crate::value::words(&input["bipolar"]);
        let summarize = Summarize { targets: &targets, bipolar: &bipolar, ..Summarize::default() };
        let (next, error) = match input["resultBuilder"] == false {
            true => (
                RuntimeResult::Await,
                summarize.patch_progress(&mut patcher, &mut fake).await.err().map(|e| e.to_string()),
            ),
            false => end(&summarize, &mut patcher, &mut fake, input).await,
        };
        ended(&fake, &memory, input, next, error.as_deref())
    })
}

async fn end(
    summarize: &Summarize<'_>,
    patcher: &mut SerialPatcher<&Memory>,
    fake: &mut Fake,
    input: &Value,
) -> (RuntimeResult, Option<String>) {
    let builder = AlwaysRequeue { interval: seconds(&input["successIntervalSeconds"]) };
    let mut record = |fake: &mut Fake, _: &Reconciled| record_reconcile_request(fake);
    let processors: &mut [&mut dyn ResultProcessor<Fake>] = &mut [&mut record];
    match summarize.end_and_patch(patcher, fake, reconciled(input), &builder, processors).await {
        Ok(next) => (next, None),
        Err(error) => (builder.build(&reconciled(input)), Some(error.to_string())),
    }
}

fn ended(fake: &Fake, memory: &Memory, input: &Value, next: RuntimeResult, error: Option<&str>) -> Value {
    let stored = memory.stored();
    let conditions: Value = fake.conditions().iter().map(output).collect();
    assert_eq!(
        conditions.as_array().map(Vec::len),
        stored["status"]["conditions"].as_array().map(Vec::len).or(Some(0))
    );
    assert!(memory.status_writes() <= 1, "the status is written once and whole");
    let (fail, warn) = violations(&stored, input);
    json!({
        "conditions": conditions,
        "error": error,
        "runtimeResult": rendered(next),
        "statusObservedGeneration": observed(fake),
        "statusWrites": memory.status_writes(),
        "lastHandledReconcileAt": stored["status"]["lastHandledReconcileAt"],
        "kstatus": format!("{:?}", kstatus::compute(&stored)),
        "kstatusFail": fail,
        "kstatusWarn": warn,
    })
}

/// The violated rules of the checker: the strict ones, and the advice.
fn violations(document: &Value, input: &Value) -> (Vec<String>, Vec<String>) {
    let found = check(document, &words(&input["kstatusNegativePolarity"]), Mode::Final);
    let ids = |strict| found.iter().map(|v| v.rule).filter(|r| r.is_strict() == strict).map(Rule::id).collect();
    (ids(true), ids(false))
}

/// The success check of a case.
fn success(type_: &Value) -> impl Fn(&Result<RuntimeResult, evenkeel::flux::Error>) -> bool {
    let wanted = match text(&type_["kind"]) {
        "requeueAfter" => RuntimeResult::after(seconds(&type_["seconds"])),
        "noRequeue" => RuntimeResult::Await,
        other => panic!("no kind of success {other}"),
    };
    move |returned| matches!(returned, Ok(next) if *next == wanted)
}

pub(crate) fn finalize(input: &Value) -> Value {
    let (mut fake, words) = (fake(input), words_of(input));
    let targets: Vec<Target<'_>> = words.iter().map(Words::target).collect();
    let finalizer = ResultFinalizer::new(success(&input["successType"]), text(&input["readySuccessMessage"]));
    let finalizer = finalizer.targets(&targets);
    let returned = match error(&input["error"]) {
        Some(error) => Err(error),
        None => Ok(runtime(&input["runtimeResult"])),
    };
    let returned = finalizer.finalize(&mut fake, returned);
    let observes = finalizer.options(&fake).observed_generation;
    if observes {
        fake.flux_status_mut().observed_generation = fake.metadata.generation;
    }
    let (fail, warn) = violations(&document(&fake), input);
    json!({
        "conditions": fake.conditions().iter().map(output).collect::<Value>(),
        "error": returned.err().map(|error| error.to_string()),
        "kstatusFail": fail,
        "kstatusWarn": warn,
        "lastHandledReconcileAt": fake.last_handled_reconcile_at(),
        "observedGenerationPatched": observes,
    })
}

pub(crate) fn options(input: &Value) -> Value {
    let owned = words(&input["ownedConditions"]);
    let targets = [Target { owned: &owned, ..Target::default() }];
    let finalizer = ResultFinalizer::new(|_| false, "").targets(&targets).field_owner(text(&input["fieldOwner"]));
    let options = finalizer.options(&fake(input));
    json!({
        "fieldOwner": options.field_owner,
        "observedGenerationPatched": options.observed_generation,
        "ownedConditions": (!options.owned.is_empty()).then_some(options.owned),
    })
}

pub(crate) fn success_type(input: &Value) -> Value {
    let type_ = match ResultFinalizer::new(success(&input["successType"]), "").success_type() {
        SuccessType::WithRequeue => "SuccessWithRequeue",
        SuccessType::NoRequeue => "SuccessNoRequeue",
    };
    json!({ "type": type_ })
}
