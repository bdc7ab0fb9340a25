//! Tokens of service accounts, and what reviews report about them.

use serde_json::{Value, json};

use crate::check::{Broken, Verdict, holds, same};
use crate::env::{Env, text};
use crate::rule::rules;

rules!(
    a_token_review_names_the_user_and_the_audiences,
    a_token_for_another_audience_is_not_valid,
    an_unknown_token_is_not_valid,
    a_token_review_needs_a_token,
    a_token_review_is_not_stored,
);

const REVIEWS: &str = "/apis/authentication.k8s.io/v1/tokenreviews";

/// A token of a new service account for this audience.
async fn token(env: &Env, audience: &str) -> Result<String, Broken> {
    env.post(&env.core("serviceaccounts"), &json!({ "metadata": { "name": "robot" } })).await?.is(201)?;
    let request = json!({ "spec": { "audiences": [audience], "expirationSeconds": 600 } });
    let answer = env.post(&env.core("serviceaccounts/robot/token"), &request).await?.is(201)?;
    Ok(text(&answer.body["status"]["token"]).to_owned())
}

async fn reviewed(env: &Env, token: &str, audiences: &[&str]) -> Result<Value, Broken> {
    let spec = json!({ "token": token, "audiences": audiences });
    let answer = env.post(REVIEWS, &json!({ "spec": spec })).await?.is(201)?;
    Ok(answer.body["status"].clone())
}

async fn a_token_review_names_the_user_and_the_audiences(env: &Env) -> Verdict {
    let token = token(env, "routes").await?;
    let status = reviewed(env, &token, &["other", "routes"]).await?;
    same("authenticated", &status["authenticated"], true)?;
    same("audiences", &status["audiences"], &json!(["routes"]))?;
    let user = format!("system:serviceaccount:{}:robot", env.namespace);
    same("user", &status["user"]["username"], &json!(user))?;
    let groups = ["system:serviceaccounts".to_owned(), format!("system:serviceaccounts:{}", env.namespace)];
    same("groups", &status["user"]["groups"], &json!([groups[0], groups[1], "system:authenticated"]))?;
    let account = env.get(&env.core("serviceaccounts/robot")).await?.is(200)?;
    same("uid", &status["user"]["uid"], &account.body["metadata"]["uid"])
}

async fn a_token_for_another_audience_is_not_valid(env: &Env) -> Verdict {
    let token = token(env, "routes").await?;
    for audiences in [&["other"][..], &[]] {
        let status = reviewed(env, &token, audiences).await?;
        same("authenticated", &status["authenticated"], &Value::Null)?;
        same("user", &status["user"], &json!({}))?;
        let error = text(&status["error"]);
        holds(error, error.contains("is invalid for the target audiences"))?;
    }
    Ok(())
}

async fn an_unknown_token_is_not_valid(env: &Env) -> Verdict {
    let status = reviewed(env, "x.y.z", &["routes"]).await?;
    same("authenticated", &status["authenticated"], &Value::Null)?;
    holds("error", text(&status["error"]).contains("invalid bearer token"))
}

async fn a_token_review_needs_a_token(env: &Env) -> Verdict {
    env.post(REVIEWS, &json!({ "spec": {} })).await?.refuses(400, "BadRequest").map(|_| ())
}

async fn a_token_review_is_not_stored(env: &Env) -> Verdict {
    env.get(REVIEWS).await?.refuses(405, "MethodNotAllowed").map(|_| ())
}
