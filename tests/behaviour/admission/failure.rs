//! Functions that do not return, and objects that cannot be decoded.

use std::time::Duration;

use evenkeel::prelude::*;
use evenkeel_tests::logs::Logs;
use http::StatusCode;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::kinds::{Repo, Team, operator, web, with};
use super::review::{answer, create, post, request, update};

#[validate]
async fn panics(_: &Repo) -> Result<(), Denial> {
    panic!("on purpose");
}

#[validate(timeout = "10s")]
async fn hangs(_: &Repo) -> Result<(), Denial> {
    std::future::pending().await
}

#[validate(reads(Team))]
async fn asks(_: &Repo, cx: &mut Review) -> Result<(), Denial> {
    cx.get::<Team>("a").await?;
    Ok(())
}

/// The error of the function, and whether the service still answers after it.
async fn failed(operator: &evenkeel::Operator, path: &str) -> (StatusCode, Value) {
    let service = operator.admission_service().unwrap();
    let failed = post(&service, path, &create(&web())).await;
    assert_eq!(post(&service, path, &create(&web())).await, failed, "it lives on");
    assert_eq!((&failed.1["kind"], &failed.1["apiVersion"]), (&json!("Status"), &json!("v1")));
    failed
}

#[tokio::test]
async fn a_panic_is_an_error_that_names_the_function() {
    let (code, status) = failed(&operator::<panics>(), "/admit/panics").await;
    assert_eq!(code, StatusCode::INTERNAL_SERVER_ERROR);
    let wanted = "`panics` panicked while it reviewed team-a/web: see the log of the operator";
    assert_eq!((&status["message"], &status["reason"]), (&json!(wanted), &json!("InternalError")));
}

#[tokio::test(start_paused = true)]
async fn a_function_is_dropped_before_the_api_server_gives_up() {
    let (operator, began) = (operator::<hangs>(), Instant::now());
    let service = operator.admission_service().unwrap();
    let (code, status) = post(&service, "/admit/hangs", &create(&web())).await;
    assert_eq!((code, began.elapsed().as_secs()), (StatusCode::INTERNAL_SERVER_ERROR, 9));
    assert!(began.elapsed() < Duration::from_secs(10));
    let message = status["message"].as_str().unwrap();
    assert!(message.starts_with("`hangs` did not review team-a/web within 9s: raise its `timeout`"), "{message}");
}

#[tokio::test]
async fn a_failed_read_is_not_the_fault_of_the_user() {
    // Without a client.
    let (code, status) = failed(&operator::<asks>(), "/admit/asks").await;
    assert_eq!(code, StatusCode::SERVICE_UNAVAILABLE);
    let message = status["message"].as_str().unwrap();
    assert!(message.starts_with("`asks` could not review team-a/web: the operator is not connected"), "{message}");
}

#[validate(on(create, update, delete))]
fn former(_: &Repo, old: Option<&Repo>) -> Result<(), Denial> {
    Err(Denial::new(format!("{}", old.is_some())))
}

#[tokio::test]
async fn a_former_object_that_does_not_fit_is_none() {
    let (logs, _guard) = Logs::capture();
    let broken = with(&json!({ "every": "s3cret" }));
    let response = answer(&operator::<former>(), "/admit/former", &update(&broken, &web())).await;
    assert_eq!(response["status"]["message"], "false", "it can be repaired");
    let line = logs.with(&["WARN", "former object does not fit"]);
    assert!(line.len() == 1 && line[0].contains("spec.every") && !line[0].contains("s3cret"), "{line:?}");
    let response = answer(&operator::<former>(), "/admit/former", &update(&web(), &with(&json!({ "every": 1 })))).await;
    assert_eq!(response["status"]["message"], "true");
}

#[tokio::test]
async fn an_object_that_does_not_fit_is_refused_with_its_field() {
    let broken = with(&json!({ "every": "s3cret" }));
    for review in [create(&broken), update(&web(), &broken), request("DELETE", &Value::Null, &broken)] {
        let response = answer(&operator::<former>(), "/admit/former", &review).await;
        let message = response["status"]["message"].as_str().unwrap();
        let start = "the object does not fit the type that `former` reviews: spec.every: invalid type: string";
        assert!(message.starts_with(start) && !message.contains("s3cret"), "{message}");
        assert_eq!(response["status"]["code"], 422);
    }
}
