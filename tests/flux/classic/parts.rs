//! Unit tests of the types in `classic`. The Flux cases test only the result of a whole reconcile.

use std::time::Duration;

use evenkeel::condition::{ConditionStatus, Stamp};
use evenkeel::flux::{
    ClientPort, ConditionList, Config, Entry, Error, EventType, FluxStatus, HasFluxStatus, Kind, Part, PatchError,
    PatchOptions, Port, Read, ReconcileResult, SerialPatcher, State, Summarize, Target, add_finalizer, end_cleanup,
};
use evenkeel::{Actions, ApiError, Class, EventLevel, LogLevel, ReconcileError};
use evenkeel_testkit::Cluster;
use kube::api::{Api, PostParams};
use kube::core::CustomResourceExt;
use serde_json::{Value, json};

use super::end::block;
use super::fake::{Fake, document, fake};
use super::memory::Memory;

const OURS: &str = "fake.evenkeel.dev/finalizer";
const READY: Target<'_> = Target { type_: "Ready", owned: &["Ready", "Stored"], summarize: &["Stored"], negative: &[] };
const END: Summarize<'_> =
    Summarize { targets: &[READY], bipolar: &[], field_owner: Some("fakes"), ignore_not_found: false };

#[test]
fn trace_events_are_not_forwarded() {
    let forwarded = [EventType::Normal, EventType::Warning, EventType::Trace].map(EventType::is_forwarded);
    assert_eq!(forwarded, [true, true, false]);
}

#[test]
fn an_object_that_was_not_read_is_not_patched() {
    let found = |deleting, finalizer, suspended| Read::Found(State { deleting, finalizer, suspended });
    let read =
        [found(true, true, false), found(false, false, false), found(false, true, true), found(false, true, false)];
    assert!(read.into_iter().all(|read| Entry::of(read).is_read()));
    assert!(![Read::NotFound, Read::Failed].into_iter().any(|read| Entry::of(read).is_read()));
}

#[test]
fn a_finalizer_is_added_once_and_removed_alone() {
    let mut fake = fake(&Value::Null);
    for already in [None, Some(vec!["other".to_owned()])] {
        fake.metadata.finalizers.clone_from(&already);
        for _ in 0..2 {
            assert_eq!(add_finalizer(&mut fake, OURS).unwrap(), ReconcileResult::Requeue);
        }
        let others = already.unwrap_or_default();
        assert_eq!(fake.metadata.finalizers, Some([&*others, &[OURS.to_owned()]].concat()));
        assert_eq!(end_cleanup(&mut fake, OURS, Ok(())).unwrap(), ReconcileResult::Empty);
        assert_eq!(fake.metadata.finalizers, Some(others));
    }
}

#[test]
fn an_ignored_error_is_logged_without_an_event() {
    let wanted = Config { event: EventLevel::None, log: true, notification: false, ignore: true };
    assert_eq!(Error::ignored("NoChange", "same").config(), Config { log: Config::of(Kind::Generic).log, ..wanted });
    assert_eq!(Error::ignored("NoChange", "same").kind(), Kind::Generic);
}

#[test]
fn debug_output_of_an_error_has_kind_reason_text() {
    assert_eq!(
        format!("{:?}", Error::stalling("Invalid", "bad spec").context("spec")),
        "Stalling(Invalid: spec: bad spec)"
    );
}

#[test]
fn a_ported_step_error_has_class_reason_and_actions() {
    let facts = |error: &Error| (ReconcileError::class(error), ReconcileError::reason(error), error.actions());
    let retried = Actions::TRANSIENT.with_event(EventLevel::Normal);
    for (error, reason) in [(Error::generic("Boom", "x"), "Boom"), (Error::plain("x"), "Failed")] {
        let of_kind = Config::of(error.kind());
        let wanted = match of_kind.notification {
            true => retried.with_notification(),
            false => retried.without_notification(),
        };
        let wanted = wanted.with_event(of_kind.event);
        assert_eq!(facts(&error), (Class::Transient, reason, wanted));
    }
    let with = |log, event| {
        let error = Error::stalling("Invalid", "x");
        let config = Config { log, event, ..error.config() };
        error.with(config).actions()
    };
    assert_eq!(with(false, EventLevel::Warning).log, LogLevel::Debug);
    assert_eq!(with(true, EventLevel::Warning).log, LogLevel::Error);
    assert_eq!(with(true, EventLevel::Normal).log, LogLevel::Info);
}

#[test]
fn a_bare_flux_status_is_its_own_kept_part() {
    let mut status = FluxStatus { observed_generation: Some(3), ..FluxStatus::default() };
    HasFluxStatus::flux_status_mut(&mut status).last_handled_reconcile_at = Some("now".into());
    assert_eq!(HasFluxStatus::flux_status(&status), &status);
    assert_eq!((status.observed_generation, status.last_handled_reconcile_at.as_deref()), (Some(3), Some("now")));
}

#[test]
fn a_patch_error_names_the_refusal() {
    let errors = [
        PatchError::OtherKind { read: "Fake".into(), written: "Other".into() },
        PatchError::from(ApiError::NotFound("no fake".into())),
        PatchError::from(ApiError::NotServed("no such page".into())),
        PatchError::from(ApiError::Conflict("newer".into())),
    ];
    let absent: Vec<bool> = errors.iter().map(PatchError::is_not_found).collect();
    assert_eq!(absent, [false, true, false, false]);
    assert_eq!(errors[0].to_string(), "a Fake was read, and a Other was to be written");
    assert!(errors.iter().all(|error| !error.to_string().is_empty()));
}

/// A patcher of a fake on a server of one object.
fn patcher<'m>(read: &Value, server: &'m Memory) -> SerialPatcher<&'m Memory> {
    SerialPatcher::of_document(read.clone(), ConditionList::Merged, server)
}

#[test]
fn an_object_of_another_kind_or_version_is_not_written() {
    for (field, other) in [("kind", "Other"), ("apiVersion", "fake.evenkeel.dev/v2")] {
        let read = document(&fake(&json!({ "generation": 1 })));
        let server = Memory::new(read.clone());
        let mut written = read.clone();
        written[field] = other.into();
        written["spec"]["value"] = "new".into();
        let stamp = Stamp::new(1, crate::value::now());
        let refused =
            block(patcher(&read, &server).patch_document(written, &stamp, &PatchOptions::default())).unwrap_err();
        assert!(matches!(refused, PatchError::OtherKind { .. }), "{refused}");
        assert_eq!(server.stored(), read);
    }
}

#[test]
fn conditions_that_are_null_are_none() {
    let mut read = document(&fake(&json!({ "generation": 1 })));
    read["status"]["conditions"] = Value::Null;
    let server = Memory::new(read.clone());
    let mut written = read.clone();
    written["status"]["conditions"] = json!([{ "type": "Stored", "status": "True", "reason": "Succeeded" }]);
    let stamp = Stamp::new(1, crate::value::now());
    block(patcher(&read, &server).patch_document(written, &stamp, &PatchOptions::default())).unwrap();
    assert_eq!(server.stored()["status"]["conditions"][0]["type"], "Stored");
}

#[test]
fn a_patch_during_a_run_writes_owned_types() {
    let stored = json!([{ "type": "Stored", "status": "True", "reason": "Succeeded", "message": "stored" }]);
    let read = fake(&json!({ "generation": 1 }));
    let mut local = fake(&json!({ "generation": 1, "conditions": stored }));
    let options = END.intermediate(&mut local);
    let owned = ["Ready", "Stored"].map(ToOwned::to_owned).into();
    assert_eq!(options, PatchOptions { owned, field_owner: Some("fakes".into()), ..PatchOptions::default() });
    let server = Memory::new(document(&read));
    block(async {
        END.patch_progress(&mut SerialPatcher::new(&read, &server).unwrap(), &mut local).await.unwrap();
    });
    let written: Vec<evenkeel::condition::Condition> =
        serde_json::from_value(server.stored()["status"]["conditions"].clone()).unwrap();
    let ready = written.iter().find(|one| one.type_ == "Ready").unwrap();
    assert_eq!((ready.status, ready.reason.as_str()), (ConditionStatus::True, "Succeeded"));
}

#[test]
fn an_unserved_write_is_not_absence() {
    block(async {
        let cluster = Cluster::start().await;
        let mut definition = Fake::crd();
        definition.spec.versions[0].subresources = None;
        Api::all(cluster.client()).create(&PostParams::default(), &definition).await.unwrap();
        let fakes: Api<Fake> = Api::namespaced(cluster.client(), "default");
        let mut new = Fake::new("fake", Default::default());
        new.metadata.namespace = Some("default".into());
        let created = fakes.create(&PostParams::default(), &new).await.unwrap();
        let port = ClientPort::new(cluster.client(), &created);
        let status = port.write(Part::Status, json!({ "status": { "observedValue": "x" } }), None).await;
        assert!(matches!(status, Err(ApiError::NotServed(_))), "{status:?}");
        let stale = json!({ "metadata": { "resourceVersion": "1" }, "spec": { "value": "x" } });
        let conflict = port.write(Part::Main, stale, None).await;
        assert!(matches!(conflict, Err(ApiError::Conflict(_))), "{conflict:?}");
        fakes.delete("fake", &Default::default()).await.unwrap();
        let gone = port.write(Part::Main, json!({ "spec": { "value": "x" } }), None).await;
        assert!(matches!(gone, Err(ApiError::NotFound(_))), "{gone:?}");
    });
}

#[tokio::test(start_paused = true)]
async fn a_conflicting_write_waits_with_jitter() {
    let cluster = Cluster::start().await;
    let port = ClientPort::new(cluster.client(), &fake(&Value::Null));
    for _ in 0..20 {
        let start = tokio::time::Instant::now();
        port.pause().await;
        let waited = start.elapsed();
        assert!((Duration::from_millis(100)..=Duration::from_millis(202)).contains(&waited), "{waited:?}");
    }
}
