//! What is converted of an object, and what stays as it is.

use serde_json::{Value, json};

use super::call::{converted, response, review, service};
use super::kinds::object;

fn beta() -> Value {
    object("v1beta1", &json!({ "url": "u", "secret": "s", "period": 5 }))
}

fn stored() -> Value {
    object("v1", &json!({ "url": "u", "login": { "secret": "s" }, "tags": [], "everySeconds": 5, "limits": {} }))
}

#[tokio::test]
async fn the_spec_is_converted_in_both_directions() {
    assert_eq!(converted(&beta(), "v1").await, stored());
    assert_eq!(converted(&stored(), "v1beta1").await, beta());
}

#[tokio::test]
async fn a_version_is_converted_to_another_one_through_the_stored_one() {
    let alpha = object("v1alpha1", &json!({ "url": "u" }));
    assert_eq!(converted(&beta(), "v1alpha1").await, alpha);
    assert_eq!(converted(&alpha, "v1beta1").await["spec"], json!({ "url": "u", "period": 60 }));
}

#[tokio::test]
async fn an_object_of_the_wanted_version_stays_as_it_is() {
    let mut odd = object("v1", &json!({ "url": "bad:", "unknown": 7 }));
    odd["extra"] = json!(null);
    assert_eq!(converted(&odd, "v1").await, odd);
}

#[tokio::test]
async fn fields_that_are_none_do_not_become_null() {
    let beta = converted(&object("v1", &json!({ "url": "u" })), "v1beta1").await;
    assert_eq!(beta["spec"], json!({ "url": "u", "period": 60 }));
    let nulls = object("v1beta1", &json!({ "url": "u", "secret": null, "megabytes": null }));
    let stored = converted(&nulls, "v1").await;
    assert_eq!(stored["spec"], json!({ "url": "u", "tags": [], "everySeconds": 60, "limits": {} }));
}

#[tokio::test]
async fn a_status_is_copied_with_what_no_type_knows() {
    let mut beta = beta();
    beta["status"] = json!({ "revision": "r", "unknown": { "deep": [1.0, 2, null] }, "conditions": [] });
    assert_eq!(converted(&beta, "v1").await["status"], beta["status"]);
}

#[tokio::test]
async fn a_status_with_functions_is_converted() {
    let mut stored = stored();
    stored["status"] = json!({ "revision": "r" });
    assert_eq!(converted(&stored, "v1alpha1").await["status"], json!({ "rev": "r" }));
    let mut alpha = object("v1alpha1", &json!({ "url": "u" }));
    assert!(converted(&alpha, "v1").await.get("status").is_none());
    alpha["status"] = json!({ "rev": "r" });
    assert_eq!(converted(&alpha, "v1").await["status"]["revision"], "r");
    alpha["status"] = json!(null);
    assert_eq!(converted(&alpha, "v1").await["status"], json!(null));
}

#[tokio::test]
async fn metadata_and_unknown_members_stay_as_they_are() {
    let mut beta = beta();
    beta["metadata"]["managedFields"] = json!([{ "fieldsV1": { "f:spec": {} }, "apiVersion": "x/v1beta1" }]);
    beta["metadata"]["generation"] = json!(7);
    beta["extra"] = json!({ "a": [null] });
    let stored = converted(&beta, "v1").await;
    assert_eq!((&stored["metadata"], &stored["extra"]), (&beta["metadata"], &beta["extra"]));
    // A number of any size, which a type would change.
    let text = review("v1", &[beta]).to_string().replace("[null]", "123456789012345678901234567890.10");
    let request = super::call::post(text.into_bytes());
    let answer = tower::ServiceExt::oneshot(service(), request).await.unwrap();
    let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.unwrap();
    assert!(String::from_utf8_lossy(&body).contains("{\"a\":123456789012345678901234567890.10}"));
}

#[tokio::test]
async fn objects_are_answered_in_their_order() {
    let objects: Vec<Value> = (0..5).map(|at| object("v1beta1", &json!({ "url": format!("u{at}") }))).collect();
    let response = response(&service(), &review("v1", &objects)).await;
    let urls: Vec<&Value> = (0..5).map(|at| &response["convertedObjects"][at]["spec"]["url"]).collect();
    assert_eq!(urls, ["u0", "u1", "u2", "u3", "u4"]);
}
