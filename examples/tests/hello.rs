//! The tests of the README operator, as the README shows them.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "the operator is a program")]

#[path = "../src/bin/hello.rs"]
mod hello;

use evenkeel_testkit::{Effect, Fault, Row, Verb};
use hello::greeting;

const GREETING: &str = "{apiVersion: demo.evenkeel.dev/v1, kind: Greeting, metadata: {name: g}, spec: {name: you}}";

#[tokio::test(start_paused = true)]
async fn a_greeting_is_published() {
    let row = Row::new("a new greeting").given(GREETING);
    row.pass::<greeting>(()).await.expect(
        "
        writes:
        - patch configmaps default/g: {data: {text: 'Hello, you!'}}
        - patch greetings/status default/g: {status: {observedGeneration: 1}}
        events: [Normal Succeeded]
        conditions: {Ready: True Succeeded, Published: True Succeeded}
        ",
    );
}

#[tokio::test(start_paused = true)]
async fn a_failed_greeting_is_retried() {
    let refused = Fault::new(Effect::Forbidden).verb(Verb::Patch).resource("configmaps");
    let row = Row::new("a map that is refused").given(GREETING).fault(refused);
    row.pass::<greeting>(()).await.expect(
        "
        outcome: Failed
        writes:
        - patch configmaps default/g -> 403
        - patch greetings/status default/g
        events: [Warning Forbidden]
        conditions: {Ready: False Forbidden, Reconciling: True ProgressingWithRetry, Published: False Forbidden}
        ",
    );
}
