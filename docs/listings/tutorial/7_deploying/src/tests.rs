//! The tests of chapter 7: the roles, and the committed output of the commands.

use std::num::NonZeroU32;
use std::time::Duration;

use evenkeel::manifests::{ManifestOptions, Part};
use evenkeel_testkit::{Scene, assert_generated, eventually, is_ready, rights, until};
use k8s_openapi::api::core::v1::Secret;
use kube::Api;
use kube::api::{DeleteParams, PostParams};
use serde_json::json;

use super::store::Store;
use super::{Bucket, BucketSpec, operator};

const LONG: Duration = Duration::from_secs(1200);

/// A bucket is created and deleted.
async fn a_life(scene: Scene) {
    let secrets: Api<Secret> = Api::default_namespaced(scene.client());
    let login = serde_json::from_value(json!({"metadata": {"name": "login"}, "stringData": {"user": "alice"}}));
    secrets.create(&PostParams::default(), &login.expect("it is a Secret")).await.expect("the Secret is new");
    let buckets: Api<Bucket> = Api::default_namespaced(scene.client());
    let photos =
        Bucket::new("photos", BucketSpec { region: "north".into(), secret: "login".into(), bucket: String::new() });
    buckets.create(&PostParams::default(), &photos).await.expect("the object is valid");
    until(&buckets, "photos", LONG, is_ready).await;
    buckets.delete("photos", &DeleteParams::default()).await.expect("the object is there");
    eventually(LONG, || async { buckets.get_opt("photos").await.expect("the server works").is_none().then_some(()) })
        .await;
}

#[tokio::test(start_paused = true)]
async fn the_roles_are_enough_and_no_more() {
    rights(|| operator(Store::default())).options(options()).scenario("a life", a_life).prove().await;
}

fn options() -> ManifestOptions {
    let mut options = ManifestOptions::new("registry.example.com/buckets:1.0.0", "buckets");
    options.replicas = NonZeroU32::new(2);
    options
}

#[test]
fn the_committed_output_is_that_of_the_program() {
    let operator = operator(Store::default());
    let set = operator.manifest_set(&options()).expect("the options are valid");
    for part in [Part::Rbac, Part::Workload, Part::Alerts] {
        let text = set.text(&[part]).expect("the objects can be written");
        assert_generated(format!("{}/deploy/{}.yaml", env!("CARGO_MANIFEST_DIR"), part.as_str()), &text);
    }
}
