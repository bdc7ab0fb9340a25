//! TokenReviews: whose token it is, and for which of the audiences it is valid. Like access reviews, they are not stored.

use serde_json::{Value, json};

use super::token::{self, AUDIENCE};
use crate::api_error::Failure;
use crate::state::{Server, User};

/// Answers a review: returns the object as sent, with a status.
///
/// # Errors
/// 400 if the review has no token.
pub(crate) fn answer(server: &Server, mut review: Value) -> Result<Value, Failure> {
    let text = review["spec"]["token"].as_str().unwrap_or_default().to_owned();
    if text.is_empty() {
        return Err(Failure::bad_request("token is required for TokenReview in authentication"));
    }
    let asked = review["spec"]["audiences"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut asked: Vec<String> = asked.map(str::to_owned).collect();
    if asked.is_empty() {
        asked.push(AUDIENCE.to_owned());
    }
    review["status"] = status(server, &text, &asked);
    Ok(review)
}

fn status(server: &Server, text: &str, asked: &[String]) -> Value {
    let found = match (server.options.identities.find(text), token::holder(server, text)) {
        // A token of the server itself says nothing about audiences: it is for the server only.
        (Some(user), _) => (user, Value::Null, vec![AUDIENCE.to_owned()]),
        (None, Some((user, token))) => (user, uid(&token.bound), token.audiences),
        (None, None) => return json!({ "user": {}, "error": "invalid bearer token" }),
    };
    let (User { name, groups }, uid, audiences) = found;
    let valid: Vec<&String> = audiences.iter().filter(|audience| asked.contains(audience)).collect();
    if valid.is_empty() {
        let text = format!("token audiences {audiences:?} is invalid for the target audiences {asked:?}");
        return json!({ "user": {}, "error": format!("[invalid bearer token, {text}]") });
    }
    let mut user = json!({ "username": name, "groups": groups });
    if uid.is_string() {
        user["uid"] = uid;
    }
    json!({ "authenticated": true, "user": user, "audiences": valid })
}

/// The uid of the service account, to which each of its tokens is bound.
fn uid<S, K>(bound: &[(S, K, String)]) -> Value {
    bound.first().map_or(Value::Null, |(_, _, uid)| json!(uid))
}
