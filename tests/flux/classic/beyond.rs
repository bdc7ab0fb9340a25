//! Situations beyond the cases: other writers, rejected writes, and every state at the end of a run.

use std::sync::Mutex;
use std::time::Duration;

use evenkeel::ApiError;
use evenkeel::condition::{Condition, ConditionStatus, mark_true};
use evenkeel::flux::{
    AlwaysRequeue, Announce, Entry, Error, Object, Part, PatchError, PatchOptions, Port, REQUESTED_AT, Read,
    ReconcileResult, Reconciled, ResultFinalizer, RunEnd, RuntimeResult, SerialPatcher, State, Summarize, Target,
    begin,
};
use evenkeel_testkit::kstatus::{Mode, check};
use serde_json::{Value, json};

use super::end::block;
use super::fake::{Fake, document, fake};
use super::memory::Memory;

const NEGATIVE: [&str; 3] = ["FetchFailed", "Stalled", "Reconciling"];
const READY: Target<'_> = Target {
    type_: "Ready",
    owned: &["FetchFailed", "Stored", "Ready", "Reconciling", "Stalled"],
    summarize: &["FetchFailed", "Stored", "Stalled", "Reconciling"],
    negative: &NEGATIVE,
};
const END: Summarize<'_> = Summarize { targets: &[READY], bipolar: &[], field_owner: None, ignore_not_found: true };
const INTERVAL: AlwaysRequeue = AlwaysRequeue { interval: Duration::from_secs(60) };

/// A server that rejects the next writes of the status; for a conflict another client writes first.
struct Refusing {
    memory: Memory,
    refusals: Mutex<Vec<ApiError>>,
    log: Mutex<Vec<&'static str>>,
}

impl Refusing {
    fn new(memory: Memory, refusals: Vec<ApiError>) -> Self {
        Self { memory, refusals: Mutex::new(refusals), log: Mutex::default() }
    }

    fn log(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.log.lock().unwrap())
    }
}

impl Port for &Refusing {
    async fn read(&self) -> Result<Value, ApiError> {
        (&self.memory).read().await
    }

    async fn write(&self, part: Part, patch: Value, owner: Option<&str>) -> Result<Value, ApiError> {
        let refusal = if part == Part::Status { self.refusals.lock().unwrap().pop() } else { None };
        if let Some(refusal) = refusal {
            let scanned = json!({ "type": "Scanned", "status": "True", "reason": "Clean" });
            let foreign = json!({ "metadata": { "generation": 2 }, "status": { "conditions": [scanned] } });
            (&self.memory).write(Part::Main, foreign, None).await?;
            self.log.lock().unwrap().push("refused");
            return Err(refusal);
        }
        self.log.lock().unwrap().push(if part == Part::Main { "main" } else { "status" });
        (&self.memory).write(part, patch, owner).await
    }

    async fn pause(&self) {
        self.log.lock().unwrap().push("pause");
    }
}

/// An object of generation 1 before and after a run, which added a condition and changed the spec.
fn worked_on() -> (Fake, Fake) {
    let read = fake(&json!({ "generation": 1 }));
    let mut local = read.clone();
    let stamp = local.stamp();
    mark_true(&mut local.flux_status_mut().conditions, "Stored", "Succeeded", "stored", &stamp);
    local.spec.value = Some("new".into());
    (read, local)
}

fn conflicts(times: usize) -> Vec<ApiError> {
    vec![ApiError::Conflict("newer".into()); times]
}

#[test]
fn a_conflicting_status_is_merged_for_its_generation() {
    let (read, mut local) = worked_on();
    let server = Refusing::new(Memory::new(document(&read)), conflicts(4));
    block(async {
        let mut patcher = SerialPatcher::new(&read, &server).unwrap();
        patcher.patch(&mut local, &PatchOptions::default()).await.unwrap();
    });
    let log = server.log();
    assert_eq!(log.iter().filter(|one| **one == "pause").count(), 4);
    assert_eq!(log[log.len() - 2..], ["status", "main"]);
    let stored = server.memory.stored();
    let listed: Vec<Condition> = serde_json::from_value(stored["status"]["conditions"].clone()).unwrap();
    let generations: Vec<_> = listed.iter().map(|one| (one.type_.as_str(), one.observed_generation)).collect();
    assert_eq!((stored["metadata"]["generation"].as_i64(), generations.len()), (Some(2), 2));
    assert!(generations.contains(&("Stored", Some(1))), "{generations:?}");
}

#[test]
fn a_failed_status_write_is_repeated_by_the_next_patch() {
    for refusals in [conflicts(5), vec![ApiError::Forbidden("no".into())]] {
        let (read, mut local) = worked_on();
        let server = Refusing::new(Memory::new(document(&read)), refusals);
        block(async {
            let mut patcher = SerialPatcher::new(&read, &server).unwrap();
            let refused = patcher.patch(&mut local, &PatchOptions::default()).await;
            assert!(matches!(refused, Err(PatchError::Api(_))));
            assert!(server.log().iter().all(|one| ["refused", "pause"].contains(one)));
            assert_eq!(server.memory.stored()["spec"], json!({}));
            patcher.patch(&mut local, &PatchOptions::default()).await.unwrap();
            assert_eq!(server.log(), ["status", "main"]);
        });
    }
}

#[test]
fn a_missing_object_is_an_error_unless_deleting() {
    for deleting in [false, true] {
        let (read, mut local) = worked_on();
        local.metadata.deletion_timestamp =
            deleting.then(|| serde_json::from_value(json!("2026-01-01T00:00:00Z")).unwrap());
        let server = Refusing::new(Memory::new(document(&read)), vec![ApiError::NotFound("gone".into())]);
        let returned = block(async {
            let mut patcher = SerialPatcher::new(&read, &server).unwrap();
            END.end_and_patch(&mut patcher, &mut local, Ok(ReconcileResult::Success), &INTERVAL, &mut []).await
        });
        assert_eq!(returned.is_ok(), deleting);
    }
}

#[test]
fn removing_the_request_annotation_is_no_request() {
    let asked = |request: Option<&str>, handled: &str| {
        let mut fake = fake(&json!({ "generation": 1, "statusObservedGeneration": 1 }));
        fake.metadata.annotations = request.map(|at| [(REQUESTED_AT.to_owned(), at.to_owned())].into());
        fake.flux_status_mut().last_handled_reconcile_at = Some(handled.into());
        begin(&mut fake)
    };
    assert_eq!(asked(Some("b"), "a"), Announce::AtOnce);
    assert_eq!(asked(Some("a"), "a"), Announce::Later);
    assert_eq!(asked(None, "a"), Announce::Later);
}

#[test]
fn a_suspended_object_gets_only_finalizer_and_cleanup() {
    let of = |deleting, finalizer| Entry::of(Read::Found(State { deleting, finalizer, suspended: true }));
    assert_eq!([of(true, false), of(true, true)], [Entry::Cleanup; 2]);
    assert_eq!([of(false, false), of(false, true)], [Entry::AddFinalizer, Entry::Skip]);
    assert_eq!(Entry::of(Read::Failed).reconciled(), None);
}

/// Every combination of conditions before the end of a run.
fn states() -> Vec<Value> {
    let mut all = vec![json!([])];
    let choices: [(&str, &[&str]); 4] = [
        ("Stalled", &["True"]),
        ("Reconciling", &["True", "False"]),
        ("Ready", &["True", "False", "Unknown"]),
        ("FetchFailed", &["True"]),
    ];
    for (type_, statuses) in choices {
        let with = |list: &Value, status: &str| {
            let mut list = list.as_array().unwrap().clone();
            list.push(json!({ "type": type_, "status": status, "reason": "Before", "observedGeneration": 1 }));
            Value::Array(list)
        };
        let more: Vec<Value> = all.iter().flat_map(|list| statuses.iter().map(|status| with(list, status))).collect();
        all.extend(more);
    }
    all
}

fn object(conditions: &Value) -> Fake {
    fake(&json!({ "generation": 1, "statusObservedGeneration": 0, "conditions": conditions }))
}

/// The strict rules that the object violates once its generation is recorded as the options require.
fn violated(mut fake: Fake, options: &PatchOptions, negative: &[&str]) -> Vec<String> {
    if options.observed_generation {
        fake.flux_status_mut().observed_generation = fake.metadata.generation;
    }
    let found = check(&document(&fake), negative, Mode::Final);
    found.into_iter().filter(|one| one.rule.is_strict()).map(|one| one.to_string()).collect()
}

#[test]
fn the_lighter_finalizer_never_misleads_observers() {
    let minute = Duration::from_secs(60);
    let natives: [fn() -> Result<RuntimeResult, Error>; 5] = [
        || Ok(RuntimeResult::Await),
        || Ok(RuntimeResult::Requeue),
        || Ok(RuntimeResult::After(Duration::from_secs(60))),
        || Ok(RuntimeResult::After(Duration::from_secs(5))),
        || Err(Error::plain("boom")),
    ];
    for (success, native, state) in [RuntimeResult::Await, RuntimeResult::After(minute)]
        .into_iter()
        .flat_map(|success| natives.map(|native| (success, native)))
        .flat_map(|(success, native)| states().into_iter().map(move |state| (success, native, state)))
    {
        let finalizer = ResultFinalizer::new(|returned| matches!(returned, Ok(next) if *next == success), "done");
        let mut fake = object(&state);
        let returned = finalizer.finalize(&mut fake, native());
        let options = finalizer.options(&fake);
        let violated = violated(fake, &options, &["Stalled", "Reconciling"]);
        assert!(violated.is_empty(), "{returned:?} from {:?} on {state}: {violated:?}", native());
    }
}

#[test]
fn a_finished_run_never_misleads_observers() {
    let runs: [fn() -> Reconciled; 7] = [
        || Ok(ReconcileResult::Success),
        || Err(Error::plain("boom")),
        || Err(Error::generic("Boom", "boom")),
        || Err(Error::ignored("NoChange", "same")),
        || Err(Error::stalling("Invalid", "bad spec")),
        || Err(Error::waiting("NotYet", Duration::ZERO, "not yet")),
        || Err(Error::waiting("NotYet", Duration::from_secs(30), "not yet")),
    ];
    for (run, state) in runs.into_iter().flat_map(|run| states().into_iter().map(move |state| (run, state))) {
        let mut fake = object(&state);
        let RunEnd { returned, options } = END.end(&mut fake, run(), &INTERVAL, &mut []);
        let ready = fake.conditions().iter().find(|one| one.type_ == "Ready").map(|one| one.status);
        let is_settled = returned.is_err() || ready == Some(ConditionStatus::True) || run().is_err();
        assert!(is_settled, "a success that is not ready is an error: {state}");
        let violated = violated(fake, &options, &NEGATIVE);
        assert!(violated.is_empty(), "{returned:?} from {:?} on {state}: {violated:?}", run());
    }
}
