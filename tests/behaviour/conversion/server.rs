//! The whole chain: API servers call the operator for objects in another version, over TLS with the certificate that it makes for itself.

use std::net::TcpListener;

use evenkeel::WebhookServer;
use evenkeel::admission::WebhookTarget;
use evenkeel_testkit::eventually;
use evenkeel_tests::applied_policies::AppliedPolicies;
use evenkeel_tests::on_each_server;
use evenkeel_tests::test_env::{Running, SOON, Server, World};
use futures::{StreamExt, TryStreamExt};
use http::Request;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{
    ApiResource, DeleteParams, DynamicObject, GroupVersionKind, ListParams, Patch, PatchParams, PostParams, WatchEvent,
    WatchParams,
};
use kube::client::Body;
use kube::{Api, Client, ResourceExt};
use serde_json::{Value, json};

use super::kinds::{CRD, GROUP, STASH, operator};
use super::policy::All;

// One case, since a CRD has one conversion.
on_each_server!(objects_are_written_and_read_in_each_version);

/// An operator with a server on loopback, and the URL at which it is called.
fn replica(client: Client, namespace: &str) -> (evenkeel::Operator, WebhookTarget) {
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let target = WebhookTarget::url(format!("https://{}", socket.local_addr().unwrap()));
    let server = WebhookServer::on(socket).target(target.clone());
    (operator().client(client).namespaces([namespace]).webhooks(server), target)
}

/// The objects of the test, in one version.
struct Version {
    api: Api<DynamicObject>,
    api_version: String,
}

impl Version {
    fn of(world: &World, version: &str) -> Self {
        let kind = GroupVersionKind::gvk(GROUP, version, "Repo");
        let resource = ApiResource::from_gvk_with_plural(&kind, "repos");
        let api = Api::namespaced_with(world.client.clone(), &world.namespace, &resource);
        Self { api, api_version: format!("{GROUP}/{version}") }
    }

    fn object(&self, name: &str, spec: &Value) -> DynamicObject {
        let object =
            json!({ "apiVersion": self.api_version, "kind": "Repo", "metadata": { "name": name }, "spec": spec });
        serde_json::from_value(object).unwrap()
    }

    async fn create(&self, name: &str, spec: &Value) -> Value {
        json!(self.api.create(&PostParams::default(), &self.object(name, spec)).await.unwrap())
    }

    async fn get(&self, name: &str) -> Value {
        json!(self.api.get(name).await.unwrap())
    }

    async fn merge(&self, name: &str, patch: Value) -> Value {
        json!(self.api.patch(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap())
    }
}

fn definitions(world: &World) -> Api<CustomResourceDefinition> {
    Api::all(world.client.clone())
}

async fn objects_are_written_and_read_in_each_version(world: World) -> World {
    let (operator, target) = replica(world.client.clone(), &world.namespace);
    world.install(&operator.definitions_calling(&target)[0]).await;
    let running = Running::start(operator);
    let [v1, beta, alpha] = ["v1", "v1beta1", "v1alpha1"].map(|version| Version::of(&world, version));
    // Until API servers use the bundle, requests in other versions fail.
    let spec = json!({ "url": "u", "secret": "s", "period": 5 });
    let dry = PostParams { dry_run: true, ..PostParams::default() };
    eventually(SOON, || async { beta.api.create(&dry, &beta.object("web", &spec)).await.ok() }).await;
    written_in_one_and_read_in_the_other(&v1, &beta, &alpha).await;
    lists_and_watches(&v1, &beta).await;
    a_stash_survives_each_sort_of_write(&v1, &beta).await;
    the_status_is_the_same(&v1, &beta).await;
    what_cannot_be_converted(&v1, &beta).await;
    requests_are_warned(&world).await;
    rules_hold_in_each_version(&world, &v1, &beta).await;
    the_bundle_comes_back(&world).await;
    the_conversion_can_be_removed(&world, &operator_without_versions()).await;
    running.crash().await;
    world
}

fn operator_without_versions() -> CustomResourceDefinition {
    evenkeel::Operator::new("converter").reconciler::<super::kinds::repo>(()).definitions().remove(0)
}

async fn written_in_one_and_read_in_the_other(v1: &Version, beta: &Version, alpha: &Version) {
    beta.create("web", &json!({ "url": "u", "secret": "s", "period": 5, "megabytes": 1 })).await;
    let stored = v1.get("web").await;
    let wanted = json!({
        "url": "u", "login": { "secret": "s" }, "tags": [], "everySeconds": 5, "limits": { "megabytes": 1 },
    });
    assert_eq!((&stored["spec"], stored["metadata"].get("annotations")), (&wanted, None));
    assert_eq!(alpha.get("web").await["spec"], json!({ "url": "u" }));
    v1.create("other", &json!({ "url": "v", "login": { "token": { "name": "t" } } })).await;
    assert_eq!(beta.get("other").await["spec"], json!({ "url": "v", "period": 60 }));
    // Server-side apply through the older version.
    let applied = beta.object("other", &json!({ "url": "v", "megabytes": 7 }));
    let params = PatchParams::apply("tests").force();
    beta.api.patch("other", &params, &Patch::Apply(&applied)).await.unwrap();
    let spec = v1.get("other").await["spec"].clone();
    assert_eq!((&spec["limits"], &spec["login"]), (&json!({ "megabytes": 7 }), &json!({ "token": { "name": "t" } })));
}

async fn lists_and_watches(v1: &Version, beta: &Version) {
    // The cache of the API server for this version may begin again later, if its first list came before the bundle.
    let list = eventually(SOON, || async { beta.api.list(&ListParams::default()).await.ok() }).await;
    let mut urls: Vec<_> =
        list.items.iter().map(|object| (object.name_any(), object.data["spec"]["url"].clone())).collect();
    urls.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(urls, [("other".to_owned(), json!("v")), ("web".to_owned(), json!("u"))]);
    let version = list.metadata.resource_version.unwrap();
    let mut events = beta.api.watch(&WatchParams::default(), &version).await.unwrap().boxed();
    v1.merge("web", json!({ "spec": { "everySeconds": 8 } })).await;
    loop {
        let Some(event) = tokio::time::timeout(SOON, events.try_next()).await.unwrap().unwrap() else {
            // A new bundle in the CRD ends all watches of the kind, about a second later.
            events = beta.api.watch(&WatchParams::default(), &version).await.unwrap().boxed();
            continue;
        };
        let WatchEvent::Modified(object) = event else { continue };
        assert_eq!(object.types.as_ref().unwrap().api_version, beta.api_version);
        // The operator may have written the status first.
        if object.name_any() == "web" && object.data["spec"]["period"] == 8 {
            break;
        }
    }
}

async fn a_stash_survives_each_sort_of_write(v1: &Version, beta: &Version) {
    v1.merge("web", json!({ "spec": { "tags": ["x"], "login": { "secret": null, "token": { "name": "t" } } } })).await;
    let read = beta.get("web").await;
    assert!(read["metadata"]["annotations"][STASH].as_str().unwrap().contains("\"tags\""), "{read}");
    assert!(read["spec"].get("secret").is_none(), "{read}");
    beta.merge("web", json!({ "spec": { "url": "w" } })).await;
    let replaced = || async {
        let mut read = beta.api.get("web").await.unwrap();
        read.data["spec"]["megabytes"] = json!(3);
        // The operator may have written the status in between.
        beta.api.replace("web", &PostParams::default(), &read).await.ok()
    };
    eventually(SOON, replaced).await;
    let stored = v1.get("web").await;
    let wanted = json!({
        "url": "w", "login": { "token": { "name": "t" } }, "tags": ["x"], "everySeconds": 8, "limits": { "megabytes": 3 },
    });
    assert_eq!((&stored["spec"], stored["metadata"].get("annotations")), (&wanted, None));
    // The user chooses the other variant.
    let read = beta.merge("web", json!({ "spec": { "secret": "s" } })).await;
    assert_eq!(read["spec"]["secret"], "s");
    let stored = v1.get("web").await;
    assert_eq!((&stored["spec"]["login"], &stored["spec"]["tags"]), (&json!({ "secret": "s" }), &json!(["x"])));
}

async fn the_status_is_the_same(v1: &Version, beta: &Version) {
    let reconciled = || async {
        let (read, stored) = (beta.get("web").await, v1.get("web").await);
        let is_one = read["metadata"]["resourceVersion"] == stored["metadata"]["resourceVersion"];
        let is_reconciled = read["status"]["revision"] == "w 8" && read["status"]["conditions"].is_array();
        (is_one && is_reconciled).then_some((read["status"].clone(), stored["status"].clone()))
    };
    let (read, stored) = eventually(SOON, reconciled).await;
    assert_eq!(read, stored);
}

async fn what_cannot_be_converted(v1: &Version, beta: &Version) {
    v1.create("bad", &json!({ "url": "bad:u" })).await;
    let read = beta.get("bad").await;
    assert_eq!((&read["apiVersion"], &read["spec"]["url"]), (&json!(beta.api_version), &json!("bad:u")));
    assert_eq!(beta.api.list(&ListParams::default()).await.unwrap().items.len(), 3);
    v1.create("large", &json!({ "url": "u", "tags": ["x".repeat(40_000)] })).await;
    let error = beta.api.get("large").await.unwrap_err().to_string();
    assert!(error.contains("most of it at spec.tags"), "{error}");
    for name in ["bad", "large"] {
        v1.api.delete(name, &DeleteParams::default()).await.unwrap();
    }
}

/// Requests in a deprecated version get a warning.
async fn requests_are_warned(world: &World) {
    let path = format!("/apis/{GROUP}/v1beta1/namespaces/{}/repos/web", world.namespace);
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = world.client.send(request).await.unwrap();
    let warning = response.headers().get("warning").map(|warning| warning.to_str().unwrap().to_owned());
    assert!(warning.as_deref().is_some_and(|warning| warning.contains("use v1")), "{warning:?}");
}

/// The API server checks the rules of a CRD only for writes in their own version. Their policies are checked for the others, too.
async fn rules_hold_in_each_version(world: &World, v1: &Version, beta: &Version) {
    if world.server == Server::Full {
        return;
    }
    v1.merge("web", json!({ "spec": { "everySeconds": 5 } })).await;
    let applied = AppliedPolicies::new(world, operator().rules::<All>().admission_policies(), |_| true).await;
    let refused = || async {
        let object = beta.object("often", &json!({ "url": "u", "period": 9 }));
        let dry = PostParams { dry_run: true, ..PostParams::default() };
        beta.api.create(&dry, &object).await.err()
    };
    // A policy takes effect after a moment.
    let kube::Error::Api(status) = eventually(SOON, refused).await else { panic!("a refusal by the server") };
    assert_eq!((status.code, status.reason.as_str()), (422, "Invalid"));
    let message = "spec.everySeconds: an interval has at least 10 seconds";
    assert!(status.message.ends_with(&format!("denied request: {message}")), "{}", status.message);
    beta.create("seldom", &json!({ "url": "u", "period": 10, "megabytes": 1 })).await;
    // Each rule is a policy of its own.
    let lowered = || async {
        let params = PatchParams { dry_run: true, ..PatchParams::default() };
        let patch = Patch::Merge(json!({ "spec": { "megabytes": null } }));
        beta.api.patch("seldom", &params, &patch).await.err()
    };
    let refusal = eventually(SOON, lowered).await.to_string();
    assert!(refusal.contains("a limit of megabytes cannot be lowered"), "{refusal}");
    // What a policy does not allow any more can still be changed elsewhere, as by an operator that removes its finalizer.
    beta.merge("web", json!({ "metadata": { "labels": { "a": "b" } } })).await;
    applied.remove().await;
    v1.api.delete("seldom", &DeleteParams::default()).await.unwrap();
}

/// Another program may remove the bundle.
async fn the_bundle_comes_back(world: &World) {
    let bundle = || async {
        let definition = json!(definitions(world).get(CRD).await.unwrap());
        definition["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"].as_str().map(ToOwned::to_owned)
    };
    let before = bundle().await.unwrap();
    let patch = json!({ "spec": { "conversion": { "webhook": { "clientConfig": { "caBundle": null } } } } });
    definitions(world).patch(CRD, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    assert_eq!(eventually(SOON, bundle).await, before);
}

/// An upgrade without the older versions. Server-side apply leaves the bundle in place, since its owner is the operator.
async fn the_conversion_can_be_removed(world: &World, without: &CustomResourceDefinition) {
    let params = PatchParams::apply("evenkeel-tests").force();
    let apply = || async { definitions(world).patch(CRD, &params, &Patch::Apply(without)).await };
    let error = apply().await.unwrap_err().to_string();
    assert!(error.contains("spec.conversion"), "{error}");
    let patch = json!({ "spec": { "conversion": { "strategy": "None", "webhook": null } } });
    definitions(world).patch(CRD, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    let applied = json!(apply().await.unwrap());
    assert_eq!(applied["spec"]["conversion"], json!({ "strategy": "None" }));
    assert_eq!(applied["spec"]["versions"].as_array().unwrap().len(), 1);
}
