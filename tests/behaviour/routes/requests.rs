//! What a function learns of a request, and what the user gets of its reply.

use evenkeel::Operator;
use evenkeel::prelude::*;
use http::Method;
use serde_json::{Value, json};

use super::client::{AUDIENCE, Served, allow, cluster, path, serve, token};
use crate::admission::kinds::Repo;

/// Shows the whole request.
#[route(post, "/echo/{id}/parts/{part}", of = Repo)]
async fn echo(repo: &Repo, request: Call<'_>) -> Result<Reply, Reply> {
    let body: Value = request.json()?;
    let headers: Vec<_> = ["accept", "X-Word", "authorization", "cookie", "impersonate-user"]
        .into_iter()
        .filter_map(|name| Some(format!("{name}={}", request.header(name)?)))
        .collect();
    Ok(Reply::json(&json!({
        "url": repo.spec.url,
        "user": request.user().username,
        "method": request.method().as_str(),
        "params": [request.param("id"), request.param("part"), request.param(&body["none"].to_string())],
        "query": request.queries().collect::<Vec<_>>(),
        "q": request.query("q"),
        "headers": headers,
        "body": body,
        "bytes": request.body().len(),
    }))
    .status(201)
    .header("x-reply", "yes"))
}

#[route(get, "/echo/{id}", of = Repo, resource = "repos/echo")]
fn text(_: &Repo, prefix: &String, request: Call<'_>) -> Reply {
    Reply::text(format!("{prefix}{}", request.param("id")))
}

#[route(get, "/echo/last", of = Repo)]
fn last(_: &Repo) -> Reply {
    Reply::text("the last one")
}

#[route(put, "/echo/{id}", of = Repo)]
fn put(_: &Repo, call: Call<'_>) -> Reply {
    Reply::bytes("application/octet-stream", [call.body(), call.param("id").as_bytes()].concat())
}

#[route(patch, "/echo", of = Repo)]
fn patched(_: &Repo) -> Reply {
    Reply::error(409, "not now")
}

#[route(delete, "/echo", of = Repo)]
async fn deleted(_: &Repo) -> Reply {
    Reply::empty()
}

async fn served(cluster: &evenkeel_testkit::Cluster) -> Served {
    let client = cluster.client();
    let operator = Operator::new("routes")
        .client(client.clone())
        .routes::<(echo, text, last, put, patched, deleted)>("id:".to_owned());
    let mut served = serve(operator, "routes", &client).await;
    allow(&client, "robot", &["get", "create", "update", "patch", "delete"], "echo").await;
    served.token = Some(token(&client, "robot", AUDIENCE).await);
    served
}

#[tokio::test]
async fn a_function_reads_the_request_without_credentials() {
    let cluster = cluster().await;
    let served = served(&cluster).await;
    let headers = [("accept", "text/html"), ("x-word", "hello"), ("cookie", "a=b"), ("impersonate-user", "root")];
    let target = path("web", "/echo/a%2Fb/parts/c%20d?q=1&q=%26&empty=");
    let answer = served.send(Method::POST, &target, &headers, br#"{"x":[1]}"#.to_vec()).await;
    assert_eq!((answer.status, answer.headers["x-reply"].to_str().unwrap()), (201, "yes"));
    let wanted = json!({
        "url": "https://example.com/web",
        "user": "system:serviceaccount:default:robot",
        "method": "POST",
        "params": ["a/b", "c d", ""],
        "query": [["q", "1"], ["q", "&"], ["empty", ""]],
        "q": "1",
        "headers": ["accept=text/html", "X-Word=hello"],
        "body": { "x": [1] },
        "bytes": 9,
    });
    assert_eq!(answer.json(), wanted);
    served.running.crash().await;
}

#[tokio::test]
async fn each_method_has_its_function() {
    let cluster = cluster().await;
    let served = served(&cluster).await;
    assert_eq!(served.get(&path("web", "/echo/7")).await.text(), "id:7");
    let last = served.get(&path("web", "/echo/last")).await;
    assert_eq!(
        (last.text(), last.headers["content-type"].to_str().unwrap()),
        ("the last one", "text/plain; charset=utf-8")
    );
    let put = served.send(Method::PUT, &path("web", "/echo/7"), &[], vec![0, 255]).await;
    assert_eq!((put.status, &*put.body), (200, [0, 255, b'7'].as_slice()));
    let patched = served.send(Method::PATCH, &path("web", "/echo"), &[], Vec::new()).await;
    assert_eq!((patched.status, &*patched.message()), (409, "not now"));
    assert_eq!(patched.json()["reason"], "Conflict");
    let deleted = served.send(Method::DELETE, &path("web", "/echo"), &[], Vec::new()).await;
    assert_eq!((deleted.status, deleted.body.len()), (204, 0));
    served.running.crash().await;
}

#[tokio::test]
async fn a_damaged_body_is_refused_with_its_place() {
    let cluster = cluster().await;
    let served = served(&cluster).await;
    for body in ["", "{", "\u{0}", "nope"] {
        let answer = served.send(Method::POST, &path("web", "/echo/a/parts/b"), &[], body.into()).await;
        assert_eq!(answer.status, 400, "{body:?}");
        assert!(answer.message().contains("the body cannot be decoded: "), "{}", answer.message());
    }
    served.running.crash().await;
}

#[tokio::test]
async fn a_large_body_is_refused() {
    let cluster = cluster().await;
    let served = served(&cluster).await;
    let target = path("web", "/echo/7");
    let fits = served.send(Method::PUT, &target, &[], vec![b'x'; 1024 * 1024]).await;
    assert_eq!((fits.status, fits.body.len()), (200, 1024 * 1024 + 1));
    let large = served.send(Method::PUT, &target, &[], vec![b'x'; 1024 * 1024 + 1]).await;
    assert_eq!((large.status, large.json()["reason"].as_str()), (413, Some("RequestEntityTooLarge")));
    served.running.crash().await;
}

#[tokio::test]
async fn other_paths_and_methods_are_not_answered() {
    let cluster = cluster().await;
    let served = served(&cluster).await;
    for target in [
        path("web", ""),
        path("web", "/echo"),
        path("web", "/echo/"),
        path("web", "/echo/a/b"),
        "/apis/tests.evenkeel.dev/v2/namespaces/default/repos/web/echo/7".to_owned(),
        "/apis/tests.evenkeel.dev/v1/repos/web/echo/7".to_owned(),
        "/apis/x".to_owned(),
        "/api/x".to_owned(),
    ] {
        let answer = served.send(Method::PUT, &target, &[], Vec::new()).await;
        let wanted = if target.ends_with("/echo") { 405 } else { 404 };
        assert_eq!(answer.status, wanted, "{target}: {}", answer.message());
    }
    let answer = served.send(Method::DELETE, &path("web", "/echo/7"), &[], Vec::new()).await;
    assert_eq!((answer.status, answer.headers["allow"].to_str().unwrap()), (405, "GET, PUT"));
    assert!(answer.message().ends_with("answers GET, PUT only"), "{}", answer.message());
    assert_eq!(served.send(Method::HEAD, &path("web", "/echo/7"), &[], Vec::new()).await.status, 405);
    served.running.crash().await;
}
