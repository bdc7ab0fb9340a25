//! The single stages of a pass.

mod context;
mod daemon;

use std::time::Duration;

use futures::FutureExt;
use serde_json::{Value, json};

use self::context::{Code, STEP, context, external, key, object, thing};
use super::api::scripted::{Answer, conflict, error};
use super::context::PassContext;
use super::finish::{finish, retry_write};
use super::prepare::claim::claim_and_finalize;
use super::report::current_pass::CurrentPass;
use super::run::{BodyEnd, Part, body};
use crate::outcome::{Outcome, PassError};
use crate::queue::Next;
use crate::trigger::TriggerSet;

const SUCCEEDS: Code = |pass| {
    pass.state.begin(&STEP);
    pass.state.succeed(0);
    async { Ok(()) }.boxed()
};
const FAILS: Code = |pass| {
    pass.state.begin(&STEP);
    pass.state.fail(None, "Broken", "it broke");
    async { Err(PassError::mishap("Broken", "it broke")) }.boxed()
};
const PANICS: Code = |_| async { panic!("boom") }.boxed();
const HANGS: Code = |_| std::future::pending().boxed();

fn answer(version: &str, more: &Value) -> Answer {
    (200, thing(version, more))
}

async fn ran(context: &PassContext) -> BodyEnd {
    let key = key();
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    body(context, &mut pass, &*object(&thing("7", &json!({}))), Vec::new(), Part::Steps).await
}

#[tokio::test]
async fn an_object_that_needs_nothing_is_prepared_without_a_request() {
    let ((context, script), key) = (context(SUCCEEDS, []), key());
    let found = object(&thing("7", &json!({})));
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    let prepared =
        claim_and_finalize(&context, &mut pass, found.clone()).await.unwrap_or_else(|next| panic!("{next:?}"));
    assert!(std::sync::Arc::ptr_eq(&prepared.object, &found) && prepared.claimed.is_empty());
    assert!(script.asked().is_empty());
}

#[tokio::test]
async fn the_finalizer_is_stored_before_the_steps_run() {
    let stored = answer("8", &json!({ "metadata": { "finalizers": ["example.com/tester"] } }));
    let ((context, script), key) = (external(SUCCEEDS, [stored]), key());
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    let prepared = claim_and_finalize(&context, &mut pass, object(&thing("7", &json!({})))).await;
    let prepared = prepared.unwrap_or_else(|next| panic!("{next:?}"));
    assert_eq!(prepared.object.resource_version(), "8");
    let sent = json!({ "metadata": { "resourceVersion": "7", "finalizers": ["example.com/tester"] } });
    assert_eq!((script.asked(), script.sent()), (vec!["PATCH x".to_owned()], vec![sent]));
}

#[tokio::test]
async fn an_object_that_cannot_be_prepared_is_retried() {
    let ((context, _script), key) = (external(SUCCEEDS, [error(500, "InternalError", "etcd")]), key());
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    let refused = claim_and_finalize(&context, &mut pass, object(&thing("7", &json!({})))).await;
    assert!(matches!(refused, Err(Next::Retry { progressed: false, .. })));
}

#[tokio::test(start_paused = true)]
async fn errors_panics_and_timeouts_of_the_body_are_outcomes() {
    let outcome = |code| async move {
        let (context, script) = context(code, []);
        let end = ran(&context).await;
        assert!(script.asked().is_empty(), "the body writes no status");
        (end.result.outcome, end.result.error.map(|error| error.message))
    };
    assert_eq!(outcome(SUCCEEDS).await, (Outcome::Done, None));
    let failed = |message: &str| (Outcome::Failed { message: message.into() }, Some(message.to_owned()));
    assert_eq!(outcome(FAILS).await, failed("it broke"));
    let (panicked, text) = outcome(PANICS).await;
    assert!(matches!(panicked, Outcome::Failed { .. }) && text.unwrap().contains("boom"));
    let began = tokio::time::Instant::now();
    let (late, text) = outcome(HANGS).await;
    assert!(matches!(late, Outcome::Failed { .. }) && text.unwrap().contains("60s"));
    assert_eq!(began.elapsed(), Duration::from_secs(60));
}

#[tokio::test]
async fn a_status_that_differs_is_written_once_with_one_event() {
    let ((context, script), key) = (context(SUCCEEDS, [answer("8", &json!({}))]), key());
    let found = object(&thing("7", &json!({})));
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    let next = finish(&context, &mut pass, &*found, ran(&context).await).await;
    assert_eq!(script.asked(), ["PATCH status"]);
    let written = script.sent().remove(0);
    assert_eq!(
        (&written["metadata"]["resourceVersion"], &written["status"]["observedGeneration"]),
        (&json!("7"), &json!(1))
    );
    let ended = pass.finished(next);
    assert_eq!((ended.next, ended.outcome, ended.events.len()), (Next::Await, "Done", 1));
    // A second pass over the written status writes and reports nothing.
    let same = object(&thing("8", &json!({ "status": written["status"] })));
    let mut again = CurrentPass::new(&key, TriggerSet::RESYNC);
    let end = body(&context, &mut again, &*same, Vec::new(), Part::Steps).await;
    let next = finish(&context, &mut again, &*same, end).await;
    let ended = again.finished(next);
    assert_eq!((ended.next, ended.outcome, ended.events.len()), (Next::Await, "Done", 0));
    assert_eq!(script.asked().len(), 1);
}

#[tokio::test]
async fn a_rejected_status_is_resent_without_the_body() {
    let answers = [error(500, "InternalError", "etcd"), answer("8", &json!({}))];
    let ((context, script), key) = (context(SUCCEEDS, answers), key());
    let found = object(&thing("7", &json!({})));
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    let next = finish(&context, &mut pass, &*found, ran(&context).await).await;
    assert!(matches!(next, Next::Retry { progressed: false, .. }));
    assert!(pass.finished(next).events.is_empty(), "nothing is announced that is not written");
    let pending = retry_write::pending(&context, &key).expect("it is kept");
    let mut pass = CurrentPass::new(&key, TriggerSet::RETRY);
    let next = retry_write::resend(&context, &mut pass, found, pending).await;
    assert_eq!(pass.finished(next).events.len(), 1);
    let sent = script.sent();
    assert_eq!((sent.len(), &sent[0]["status"]), (2, &sent[1]["status"]));
}

#[tokio::test]
async fn a_failure_is_reported_and_retried() {
    let ((context, script), key) = (context(FAILS, [answer("8", &json!({}))]), key());
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    let next = finish(&context, &mut pass, &*object(&thing("7", &json!({}))), ran(&context).await).await;
    assert!(matches!(next, Next::Retry { .. }));
    let conditions = script.sent()[0]["status"]["conditions"].clone();
    let ready = conditions.as_array().unwrap().iter().find(|condition| condition["type"] == "Ready").unwrap();
    assert_eq!(
        (&ready["status"], &ready["reason"], &ready["message"]),
        (&json!("False"), &json!("Broken"), &json!("it broke"))
    );
    assert_eq!(pass.finished(next).outcome, "Failed");
}

#[tokio::test]
async fn a_change_during_the_pass_is_no_failure() {
    let newer = answer("9", &json!({ "metadata": { "generation": 2 } }));
    let ((context, _script), key) = (context(SUCCEEDS, [conflict(), newer]), key());
    let mut pass = CurrentPass::new(&key, TriggerSet::GENERATION);
    let next = finish(&context, &mut pass, &*object(&thing("7", &json!({}))), ran(&context).await).await;
    assert_eq!(next, Next::Conflict { newer_than: "7".into() });
    let ended = pass.finished(next);
    assert_eq!((ended.outcome, ended.events.len()), (Outcome::Conflict.as_str(), 0));
}
