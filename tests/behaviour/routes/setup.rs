//! Setups with which an operator does not start, and what it prints of its routes.

use std::future::ready;

use evenkeel::Operator;
use evenkeel::operator::Reason;
use evenkeel::prelude::*;
use evenkeel_testkit::Cluster;
use evenkeel_tests::logs::Logs;
use k8s_openapi::api::core::v1::Node;

use super::client::{AUDIENCE, allow, cluster, path, serve, token};
use crate::admission::kinds::{Repo, repo};

#[route(get, "/artifact", of = Repo, resource = "repos/artifact")]
async fn artifact(_: &Repo) -> Reply {
    Reply::empty()
}

#[route(get, "/artifact/{id}", of = Repo)]
fn by_id(_: &Repo, size: &u8, request: Call<'_>) -> Reply {
    Reply::text(format!("{size}{}", request.param("id")))
}

#[route(post, "/artifact/{id}", of = Repo)]
fn store(_: &Repo, request: Call<'_>) -> Reply {
    Reply::text(request.param("id"))
}

#[route(get, "/artifact/{name}", of = Repo)]
fn by_name(_: &Repo, request: Call<'_>) -> Reply {
    Reply::text(request.param("name"))
}

#[route(get, "/disk", of = Node)]
fn disk(_: &Node) -> Reply {
    Reply::empty()
}

#[route(get, "/artifact", of = Repo, resource = "depots/artifact")]
fn elsewhere(_: &Repo) -> Reply {
    Reply::empty()
}

mod other {
    use super::*;

    #[route(get, "/other", of = Repo)]
    pub(super) fn artifact(_: &Repo) -> Reply {
        Reply::empty()
    }
}

fn base() -> Operator {
    Operator::new("routes").reconciler::<repo>(())
}

async fn refused(operator: Operator) -> String {
    let cluster = Cluster::start().await;
    let error = operator.client(cluster.client()).run_until(ready(())).await.expect_err("refused");
    assert_eq!(error.reason(), Reason::Setup);
    error.to_string()
}

#[tokio::test]
async fn two_routes_with_one_path_are_refused() {
    let error = refused(base().routes::<(by_id, by_name)>(3)).await;
    let wanted =
        "by_id and by_name both answer GET /apis/tests.evenkeel.dev/v1/namespaces/{ns}/repos/{name}/artifact/{name}";
    assert!(error.starts_with(wanted) && error.contains("another path or another method"), "{error}");
}

#[tokio::test]
async fn two_routes_with_one_name_are_refused() {
    let error = refused(base().routes::<(artifact,)>(()).routes::<other::artifact>(())).await;
    assert!(error.starts_with("two routes are called artifact"), "{error}");
}

#[tokio::test]
async fn a_resource_of_another_kind_is_refused() {
    let error = refused(base().routes::<elsewhere>(())).await;
    let wanted = "the route elsewhere is about Repo, and its resource `depots/artifact` is none of `repos`";
    assert!(error.starts_with(wanted), "{error}");
}

#[tokio::test]
async fn routes_without_a_server_are_not_served_and_logged() {
    let (logs, _guard) = Logs::capture();
    let cluster = Cluster::start().await;
    Operator::new("routes").client(cluster.client()).routes::<(artifact,)>(()).run_until(ready(())).await.unwrap();
    assert_eq!(logs.with(&["the routes are not served", "route=\"artifact\""]).len(), 1);
    assert!(cluster.log().entries().is_empty(), "nothing is read or written");
}

#[test]
fn the_rules_contain_reviews_and_reads() {
    let rules = |operator: Operator| {
        let rules = operator.rbac_rules();
        let line = |rule: &evenkeel::introspection::RbacRule| {
            let verbs: Vec<_> = rule.verbs.iter().map(|verb| verb.as_str()).collect();
            format!("{} {}", rule.resource, verbs.join(","))
        };
        rules.iter().map(line).collect::<Vec<_>>()
    };
    let alone = rules(Operator::new("routes").routes::<(artifact, disk)>(()));
    assert_eq!(alone, ["nodes get", "tokenreviews create", "subjectaccessreviews create", "repos get"]);
    let with = rules(base().routes::<(artifact,)>(()));
    assert!(
        with.contains(&"repos get,list,watch,patch".to_owned())
            || with.contains(&"repos get,list,patch,watch".to_owned()),
        "{with:?}"
    );
    assert!(!rules(base()).iter().any(|rule| rule.contains("reviews")));
}

#[test]
fn the_manifest_and_the_contract_name_the_routes() {
    let operator = base().routes::<(artifact, by_id, store, disk)>(7);
    let contract = operator.contract();
    let of = "/apis/tests.evenkeel.dev/v1/namespaces/{ns}/repos/{name}";
    let wanted = [
        ("GET /api/v1/nodes/{name}/disk".to_owned(), "get nodes/disk"),
        (format!("GET {of}/artifact"), "get repos/artifact"),
        (format!("GET {of}/artifact/{{id}}"), "get repos/artifact"),
        (format!("POST {of}/artifact/{{id}}"), "create repos/artifact"),
    ];
    let found: Vec<_> = contract.routes.iter().map(|(route, needed)| (route.clone(), needed.as_str())).collect();
    assert_eq!(found, wanted);
    let manifest = operator.app_manifest();
    let names: Vec<_> = manifest.kinds[0].routes.iter().map(|route| route.function.as_str()).collect();
    assert_eq!((names, &*manifest.other_kinds[0].routes[0].function), (vec!["artifact", "by_id", "store"], "disk"));
    let grafana = operator.grafana_manifests().unwrap();
    let routes = &grafana[0].data["spec"]["versions"][0]["kinds"][0]["routes"];
    assert_eq!(routes["/artifact"]["get"]["operationId"], "artifact");
    assert_eq!(
        (&routes["/artifact/{id}"]["get"]["operationId"], &routes["/artifact/{id}"]["post"]["operationId"]),
        (&"by_id".into(), &"store".into())
    );
}

/// The rules that `rbac` and `webhooks` print are all that an operator with routes needs.
#[tokio::test]
async fn the_printed_roles_are_enough() {
    let cluster = cluster().await;
    let admin = cluster.client();
    let client = cluster.client_as("system:serviceaccount:default:routes");
    let operator = Operator::new("routes").client(client).namespaces(["default"]).routes::<(artifact,)>(());
    for roles in [operator.roles(), operator.webhook_roles("default")] {
        let (cluster_binding, bindings) = roles.bindings("default", "routes");
        if let Some((role, binding)) = roles.cluster_role.as_ref().zip(cluster_binding) {
            cluster.seed(role).await.unwrap();
            cluster.seed(&binding).await.unwrap();
        }
        for (role, binding) in roles.roles.iter().zip(bindings) {
            cluster.seed(role).await.unwrap();
            cluster.seed(&binding).await.unwrap();
        }
    }
    let mut served = serve(operator, "routes", &admin).await;
    allow(&admin, "robot", &["get"], "artifact").await;
    served.token = Some(token(&admin, "robot", AUDIENCE).await);
    assert_eq!(served.get(&path("web", "/artifact")).await.status, 204);
    let denied = cluster.log().filter(|entry| entry.code == 403);
    assert!(denied.is_empty(), "{denied:?}");
    served.running.crash().await;
}

/// An operator with a server and no route answers no path of objects.
#[tokio::test]
async fn without_routes_there_is_no_route() {
    let cluster = cluster().await;
    let client = cluster.client();
    let served = serve(base().client(client.clone()), "routes", &client).await;
    let answer = served.get(&path("web", "/artifact")).await;
    assert!(answer.status == 404 && answer.message().starts_with("no function reviews writes at"), "{answer:?}");
    served.running.crash().await;
}
