//! Objects that cannot be converted: they get the other version only, so that the list of all objects does not fail.

use serde_json::json;

use super::call::{converted, response, review, service};
use super::kinds::object;

#[tokio::test]
async fn an_object_that_does_not_decode_only_gets_the_other_version() {
    for spec in [json!({ "url": "bad:u" }), json!({ "url": 7 }), json!({}), json!(null), json!([])] {
        for (from, to) in [("v1", "v1beta1"), ("v1beta1", "v1"), ("v1beta1", "v1alpha1")] {
            let mut wanted = object(from, &spec);
            let converted = converted(&wanted, to).await;
            wanted["apiVersion"] = converted["apiVersion"].clone();
            assert_eq!(converted, wanted);
            assert!(converted["apiVersion"].as_str().unwrap().ends_with(&format!("/{to}")));
        }
    }
}

#[tokio::test]
async fn an_object_without_a_spec_only_gets_the_other_version() {
    let mut bare = object("v1", &json!({}));
    bare.as_object_mut().unwrap().remove("spec");
    assert!(converted(&bare, "v1beta1").await.get("spec").is_none());
}

#[tokio::test]
async fn a_panic_only_changes_the_version() {
    let panics = json!({ "url": "panic:u" });
    assert_eq!(converted(&object("v1", &panics), "v1beta1").await, object("v1beta1", &panics));
    assert_eq!(converted(&object("v1beta1", &panics), "v1").await, object("v1", &panics));
}

#[tokio::test]
async fn the_other_objects_of_a_list_are_converted() {
    let objects = ["bad:u", "panic:u", "u"].map(|url| object("v1beta1", &json!({ "url": url })));
    let response = response(&service(), &review("v1", &objects)).await;
    assert_eq!(response["result"]["status"], "Success");
    assert_eq!(response["convertedObjects"][2]["spec"]["everySeconds"], 60);
}

#[tokio::test]
async fn a_status_that_does_not_decode_leaves_the_object_as_it_is() {
    let mut alpha = object("v1alpha1", &json!({ "url": "u" }));
    alpha["status"] = json!({ "rev": 7 });
    let stored = converted(&alpha, "v1").await;
    assert_eq!((&stored["spec"], &stored["status"]), (&alpha["spec"], &alpha["status"]));
}
