//! The API server: whether it responds, its version, and its clock.

use std::time::Duration;

use http::{HeaderMap, Request};
use jiff::Timestamp;
use kube::Client;
use kube::client::Body;
use serde::Deserialize;

use super::finding::Finding;
use crate::client::chain;
use crate::clock::{self, Instant};

const CHECK: &str = "server";

/// How long the command waits for the first response.
const PATIENCE: Duration = Duration::from_secs(5);

/// A difference between the clocks that shows in logs and in the ages of certificates.
const MOST_SKEW: Duration = Duration::from_secs(60);

/// The first response of the API server.
pub(super) enum Contact {
    Made {
        findings: Vec<Finding>,
        /// The time of the API server.
        now: Timestamp,
    },
    /// There is none, so no other check can be made.
    Failed(Finding),
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "gitVersion")]
    git_version: String,
}

/// Asks for the version.
pub(super) async fn contact(client: &Client) -> Contact {
    let begin = Instant::now();
    match tokio::time::timeout(PATIENCE, version(client)).await {
        Ok(Ok((version, headers))) => {
            let now = date(&headers).unwrap_or_else(clock::now);
            Contact::Made { findings: findings(&version, begin.elapsed(), now), now }
        }
        Ok(Err(why)) => Contact::Failed(unreachable(&why)),
        Err(_) => Contact::Failed(unreachable(&format!("no response within {PATIENCE:?}"))),
    }
}

fn unreachable(why: &str) -> Finding {
    Finding::fail(
        CHECK,
        format!("the API server does not respond: {why}"),
        "check the server in the kubeconfig, and that it is running",
    )
}

async fn version(client: &Client) -> Result<(String, HeaderMap), String> {
    let request = Request::get("/version").body(Body::empty()).map_err(|error| error.to_string())?;
    let (head, body) = client.send(request).await.map_err(|error| chain(&error))?.into_parts();
    let body = body.collect_bytes().await.map_err(|error| chain(&error))?;
    if !head.status.is_success() {
        return Err(format!("it answers `/version` with {}", head.status));
    }
    let version: Version = serde_json::from_slice(&body).map_err(|_| "`/version` has no version".to_owned())?;
    Ok((version.git_version, head.headers))
}

fn date(headers: &HeaderMap) -> Option<Timestamp> {
    let date = headers.get(http::header::DATE)?.to_str().ok()?;
    Some(jiff::fmt::rfc2822::parse(date).ok()?.timestamp())
}

fn findings(version: &str, took: Duration, now: Timestamp) -> Vec<Finding> {
    let server = Finding::ok(CHECK, format!("the API server has the version {version} and responds in {took:.0?}"));
    let ahead = now.duration_since(clock::now());
    if ahead.unsigned_abs() <= MOST_SKEW {
        return vec![server];
    }
    let direction = if ahead.is_positive() { "ahead of" } else { "behind" };
    let text = format!("the clock of the API server is {:.0?} {direction} this one", ahead.unsigned_abs());
    vec![server, Finding::warn("clock", text, "set both by NTP: times in logs, events and certificates are misleading")]
}
