//! Where the object of a request comes from.

use evenkeel::prelude::*;
use evenkeel::{Bare, Operator};
use evenkeel_testkit::{Cluster, eventually};
use evenkeel_tests::test_env::SOON;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use serde_json::json;

use super::client::{AUDIENCE, Served, allow, cluster, path, serve, token, web};
use crate::admission::kinds::{Repo, repo};

#[route(get, "/url", of = Repo)]
fn url(repo: &Repo) -> Reply {
    Reply::text(&repo.spec.url)
}

async fn served(operator: Operator, cluster: &Cluster) -> Served {
    let client = cluster.client();
    let operator = operator.client(client.clone()).routes::<(url,)>(());
    let mut served = serve(operator, "routes", &client).await;
    allow(&client, "robot", &["get"], "url").await;
    served.token = Some(token(&client, "robot", AUDIENCE).await);
    served
}

/// The live reads of single repos so far.
fn reads(cluster: &Cluster) -> usize {
    cluster.log().requests().resource("repos").verb(evenkeel_testkit::Verb::Get).count()
}

#[tokio::test]
async fn the_object_of_a_reconciler_comes_from_its_cache() {
    let cluster = cluster().await;
    let served = served(Operator::new("routes").reconciler::<repo>(()), &cluster).await;
    let cached = || async {
        let before = reads(&cluster);
        let answer = served.get(&path("web", "/url")).await;
        assert_eq!(answer.text(), "https://example.com/web");
        (reads(&cluster) == before).then_some(())
    };
    eventually(SOON, cached).await;
    // A new object may be known to the API server before the watch delivers it.
    let repos: Api<Repo> = Api::default_namespaced(cluster.client());
    repos.create(&PostParams::default(), &web("new")).await.unwrap();
    assert_eq!(served.get(&path("new", "/url")).await.text(), "https://example.com/new");
    repos.delete("new", &DeleteParams::default()).await.unwrap();
    let gone = || async { (served.get(&path("new", "/url")).await.status == 404).then_some(()) };
    eventually(SOON, gone).await;
    served.running.crash().await;
}

#[tokio::test]
async fn the_object_of_a_kind_that_is_not_reconciled_is_read() {
    let cluster = cluster().await;
    let served = served(Operator::new("routes"), &cluster).await;
    let before = reads(&cluster);
    assert_eq!(served.get(&path("web", "/url")).await.text(), "https://example.com/web");
    assert_eq!(served.get(&path("web", "/url")).await.status, 200);
    assert_eq!(reads(&cluster) - before, 2);
    let absent = served.get(&path("absent", "/url")).await;
    assert_eq!((absent.status, &*absent.message()), (404, "repos.tests.evenkeel.dev \"absent\" not found"));
    served.running.crash().await;
}

#[tokio::test]
async fn names_that_no_object_can_have_are_not_read() {
    let cluster = cluster().await;
    let served = served(Operator::new("routes"), &cluster).await;
    let before = reads(&cluster);
    for name in ["..%2F..%2Fsecrets%2Fx", "%2E%2E", "a%20b", "a%3Fb", "%00", &"x".repeat(254)] {
        let status = served.get(&path(name, "/url")).await.status;
        assert!(status == 404 || status == 403, "{name}: {status}");
    }
    assert_eq!(reads(&cluster), before);
    served.running.crash().await;
}

#[tokio::test]
async fn objects_of_other_namespaces_are_not_served() {
    let cluster = cluster().await;
    let served = served(Operator::new("routes").namespaces(["elsewhere"]), &cluster).await;
    let before = reads(&cluster);
    assert_eq!(served.get(&path("web", "/url")).await.status, 404);
    assert_eq!(reads(&cluster), before);
    served.running.crash().await;
}

#[route(get, "/zone", of = Node)]
fn zone(node: &Node) -> Reply {
    Reply::text(node.metadata.name.clone().unwrap_or_default())
}

#[route(get, "/words", of = ConfigMap)]
fn words(map: &ConfigMap) -> Reply {
    Reply::json(&map.data)
}

struct Maps;

#[watcher(plain)]
impl Maps {
    async fn sync(&self, _map: &ConfigMap) -> Result<(), ApiError> {
        Ok(())
    }

    async fn delete(&self, _map: &ConfigMap) -> Result<(), ApiError> {
        Ok(())
    }
}

/// A cluster-scoped kind of the core group, and one whose watcher has it as `Bare`.
#[tokio::test]
async fn kinds_of_others_have_routes() {
    let _: Option<Bare<ConfigMap>> = None;
    let cluster = cluster().await;
    let client = cluster.client();
    let operator = Operator::new("routes").client(client.clone()).watcher::<Maps>(Maps).routes::<(zone, words)>(());
    let mut served = serve(operator, "routes", &client).await;
    served.token = Some(token(&client, "robot", AUDIENCE).await);
    let params = PatchParams::apply("tests");
    let role = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": { "name": "robot" },
        "rules": [{ "apiGroups": [""], "resources": ["nodes/zone", "configmaps/words"], "verbs": ["get"] }] });
    let binding = json!({ "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": { "name": "robot" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "robot" },
        "subjects": [{ "kind": "ServiceAccount", "name": "robot", "namespace": "default" }] });
    let roles: Api<k8s_openapi::api::rbac::v1::ClusterRole> = Api::all(client.clone());
    let bindings: Api<k8s_openapi::api::rbac::v1::ClusterRoleBinding> = Api::all(client.clone());
    roles.patch("robot", &params, &Patch::Apply(role)).await.unwrap();
    bindings.patch("robot", &params, &Patch::Apply(binding)).await.unwrap();
    let node: Node = serde_json::from_value(json!({ "metadata": { "name": "n1" } })).unwrap();
    Api::all(client.clone()).create(&PostParams::default(), &node).await.unwrap();
    let map: ConfigMap = serde_json::from_value(json!({ "metadata": { "name": "m" }, "data": { "a": "b" } })).unwrap();
    Api::default_namespaced(client).create(&PostParams::default(), &map).await.unwrap();
    assert_eq!(served.get("/api/v1/nodes/n1/zone").await.text(), "n1");
    assert_eq!(served.get("/api/v1/nodes/n2/zone").await.status, 404);
    assert_eq!(served.get("/api/v1/namespaces/default/configmaps/m/words").await.json(), json!({ "a": "b" }));
    served.running.crash().await;
}
