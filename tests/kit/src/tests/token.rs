//! Service account tokens: their user, and when they become invalid.

use std::time::Duration;

use k8s_openapi::api::authentication::v1::{TokenRequest, TokenRequestSpec};
use k8s_openapi::api::core::v1::ServiceAccount;
use kube::api::{DeleteParams, PostParams};
use kube::{Api, Client, Error};

use crate::Cluster;

async fn account(client: &Client) -> Api<ServiceAccount> {
    let accounts: Api<ServiceAccount> = Api::default_namespaced(client.clone());
    let mut robot = ServiceAccount::default();
    robot.metadata.name = Some("robot".to_owned());
    accounts.create(&PostParams::default(), &robot).await.unwrap();
    accounts
}

async fn token(accounts: &Api<ServiceAccount>, audiences: &[&str]) -> String {
    let audiences = Some(audiences.iter().map(|&audience| audience.to_owned()).collect());
    let spec = TokenRequestSpec { audiences, expiration_seconds: Some(600), ..TokenRequestSpec::default() };
    let request = TokenRequest { spec: Some(spec), ..TokenRequest::default() };
    let given = accounts.create_token_request("robot", &PostParams::default(), &request).await.unwrap();
    given.status.unwrap().token.unwrap()
}

/// The result of listing pods with this token.
async fn answer(client: &Client, token: &str) -> (u16, String) {
    let request = http::Request::get("/api/v1/namespaces/default/pods");
    let request = request.header("Authorization", format!("Bearer {token}")).body(Vec::new()).unwrap();
    match client.request_text(request).await {
        Ok(_) => (200, String::new()),
        Err(Error::Api(status)) => (status.code, status.message),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_token_is_valid_until_it_expires() {
    let client = Cluster::builder().rbac().start().await.client();
    let token = token(&account(&client).await, &[]).await;
    let (code, why) = answer(&client, &token).await;
    assert!(code == 403 && why.contains("User \"system:serviceaccount:default:robot\" cannot list"), "{code} {why}");
    tokio::time::sleep(Duration::from_secs(601)).await;
    assert_eq!(answer(&client, &token).await.0, 401);
}

#[tokio::test]
async fn a_token_is_invalid_once_its_account_is_recreated() {
    let client = Cluster::builder().bearer("t", "system:admin").start().await.client();
    let accounts = account(&client).await;
    let token = token(&accounts, &[]).await;
    assert_eq!(answer(&client, &token).await.0, 200);
    accounts.delete("robot", &DeleteParams::default()).await.unwrap();
    assert_eq!(answer(&client, &token).await.0, 401);
    account(&client).await;
    assert_eq!(answer(&client, &token).await.0, 401);
}

#[tokio::test]
async fn a_token_for_another_audience_is_rejected() {
    let client = Cluster::builder().rbac().start().await.client();
    let token = token(&account(&client).await, &["vault"]).await;
    assert_eq!(answer(&client, &token).await.0, 401);
    assert_eq!(answer(&client, "evenkeel-testkit.x").await.0, 401);
}
