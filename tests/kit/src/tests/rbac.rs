//! Authentication: bearer tokens over HTTP, and users inside the process.

use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::ListParams;
use kube::client::Body;

use crate::{Builder, Cluster};

/// The status code of listing config maps over HTTP.
async fn code(builder: Builder, token: Option<&str>) -> u16 {
    let cluster = builder.start().await;
    let serving = cluster.serve().await.unwrap();
    let config = kube::Config::new(serving.url().parse().unwrap());
    let client = kube::Client::try_from(config).unwrap();
    let mut request = http::Request::get("/api/v1/namespaces/default/configmaps");
    if let Some(token) = token {
        request = request.header("Authorization", format!("Bearer {token}"));
    }
    let response = client.send(request.body(Body::empty()).unwrap()).await.unwrap();
    let code = response.status().as_u16();
    response.into_body().collect().await.unwrap();
    code
}

#[tokio::test]
async fn a_cluster_with_tokens_rejects_requests_without_one() {
    let open = Cluster::builder;
    let closed = || Cluster::builder().bearer("secret", "jane");
    assert_eq!(code(open(), None).await, 200);
    assert_eq!(code(closed(), None).await, 401);
    assert_eq!(code(closed(), Some("wrong")).await, 401);
    assert_eq!(code(closed(), Some("secret")).await, 200);
}

#[tokio::test]
async fn with_rbac_a_request_without_token_is_anonymous() {
    let closed = || Cluster::builder().rbac().bearer("secret", "jane").bearer("root", "system:admin");
    assert_eq!(code(closed(), None).await, 403);
    assert_eq!(code(closed(), Some("wrong")).await, 401);
    assert_eq!(code(closed(), Some("secret")).await, 403);
    assert_eq!(code(closed(), Some("root")).await, 200);
}

#[tokio::test]
async fn the_kubeconfig_holds_the_first_token() {
    let serving =
        Cluster::builder().bearer("b", "system:admin").bearer("a", "jane").start().await.serve().await.unwrap();
    assert!(serving.kubeconfig().contains("user: {token: \"b\"}"));
}

#[tokio::test]
async fn a_user_client_has_only_that_users_permissions() {
    let cluster = Cluster::builder().rbac().start().await;
    let maps = |client| Api::<ConfigMap>::namespaced(client, "default");
    assert!(maps(cluster.client()).list(&ListParams::default()).await.is_ok());
    let refused = maps(cluster.client_as("jane")).list(&ListParams::default()).await.unwrap_err();
    assert!(matches!(refused, kube::Error::Api(status) if status.code == 403 && status.message.contains("jane")));
}
