//! The suites about results and errors.

use evenkeel::LogLevel;
use evenkeel::flux::{
    AlwaysRequeue, Error, ErrorActions, ErrorReport, EventType, Object, PatchOptions, ReconcileResult, Reconciled,
    ResultBuilder, ResultProcessor, RuntimeResult, SerialPatcher, Summarize, compute,
};
use serde_json::{Value, json};

use super::end::block;
use super::fake::{document, fake};
use super::input::{error, reconciled, rendered, result, runtime, seconds};
use super::memory::Memory;
use crate::value::{conditions, output};

pub(crate) fn lowest(input: &Value) -> Value {
    json!({ "result": format!("{:?}", result(&input["i"]).lowest_requeuing(result(&input["j"]))) })
}

/// The result of the run before this builder.
fn before(builder: AlwaysRequeue, next: RuntimeResult) -> Reconciled {
    match next {
        RuntimeResult::Await => Ok(ReconcileResult::Empty),
        RuntimeResult::Requeue => Ok(ReconcileResult::Requeue),
        RuntimeResult::After(time) if time == builder.interval => Ok(ReconcileResult::Success),
        RuntimeResult::After(time) => Err(Error::waiting("NotYet", time, "not yet")),
    }
}

pub(crate) fn is_success(input: &Value) -> Value {
    let builder = AlwaysRequeue { interval: seconds(&input["builderSeconds"]) };
    json!({ "success": builder.is_success(&before(builder, runtime(&input["runtimeResult"]))) })
}

/// Whether a patch in the middle of a run, without a builder, treats an object that is not ready as an error.
fn asks_for_ready(input: &Value) -> bool {
    let mut fake = fake(input);
    let memory = Memory::new(document(&fake));
    let mut patcher = SerialPatcher::new(&fake, &memory).unwrap();
    block(Summarize::default().patch_progress(&mut patcher, &mut fake)).is_err()
}

pub(crate) fn non_stalled_success(input: &Value) -> Value {
    let Some(interval) = input["builderSeconds"].as_u64() else {
        return json!({ "nonStalledSuccess": asks_for_ready(input) });
    };
    let builder = AlwaysRequeue { interval: std::time::Duration::from_secs(interval) };
    let reconciled = match input["error"].as_str() {
        Some(text) => Err(Error::plain(text)),
        None => before(builder, runtime(&input["runtimeResult"])),
    };
    let computed = compute(&mut fake(&Value::Null), reconciled, &builder);
    json!({ "nonStalledSuccess": computed.is_non_stalled_success(&conditions(&input["conditions"])) })
}

pub(crate) fn computed(input: &Value) -> Value {
    let mut fake = fake(input);
    let builder = AlwaysRequeue { interval: seconds(&input["successIntervalSeconds"]) };
    let computed = compute(&mut fake, reconciled(input), &builder);
    let (next, error) = match computed.returned {
        Ok(next) => (next, None),
        Err(error) => (builder.build(&reconciled(input)), Some(error.to_string())),
    };
    json!({
        "conditions": fake.conditions().iter().map(output).collect::<Value>(),
        "error": error,
        "observedGenerationPatched": computed.options.observed_generation,
        "runtimeResult": rendered(next),
    })
}

pub(crate) fn observed(input: &Value) -> Value {
    let mut options =
        PatchOptions { observed_generation: input["alreadyRequested"] == true, ..PatchOptions::default() };
    options.observe(&conditions(&input["conditions"]));
    json!({ "observedGenerationPatched": options.observed_generation })
}

pub(crate) fn actions(input: &Value) -> Value {
    let mut all: Vec<ErrorReport> = Vec::new();
    assert!(input["useDefaultConfig"].is_null() || input["error"]["config"].is_null(), "a default that is none");
    let reconciled = Err(error(&input["error"]).unwrap());
    ErrorActions(|_: &(), report| all.push(report)).look(&mut (), &reconciled);
    let events = all.iter().filter_map(|report| report.event.as_ref()).map(|event| {
        let type_ = match event.type_ {
            EventType::Trace => "Trace",
            other => other.as_str(),
        };
        json!({ "type": type_, "reason": event.reason, "message": event.message })
    });
    let logs = all.iter().filter(|report| report.log != LogLevel::None);
    json!({
        "events": events.collect::<Value>(),
        "logs": logs.map(|report| format!("{:?}", report.log).to_lowercase()).collect::<Value>(),
    })
}
