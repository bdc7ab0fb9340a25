//! The command `step-down`: makes a replica give its lease or its shards back.

use std::io::Write;
use std::time::Duration;

use clap::Args;
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Patch, PatchParams};
use kube::{Api, Client};
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::builder::Operator;
use super::context::client_alone;
use super::error::{Error, Reason, Result};
use super::explain;
use super::leader::{Leader, leader};
use super::lease_role::lease_at;
use crate::client::why;
use crate::lease::{LeaseName, REST, shard_lease};
use crate::wiring::annotations::STEP_DOWN;

/// The exit code if no other replica takes over.
const ALONE: u8 = 1;
/// How often the leases are read.
const PAUSE: Duration = Duration::from_secs(1);

/// The options of the command `step-down`.
#[derive(Debug, Args)]
pub(super) struct StepDownArgs {
    /// The pod or the identity of the replica; `status` prints it [default: the leader]
    #[arg(value_name = "REPLICA")]
    replica: Option<String>,
}

/// Asks the replica, waits until others have taken over, and returns the exit code.
///
/// # Errors
/// The operator has no replicas, no replica has that name, or the Lease cannot be read or changed.
pub(super) async fn step_down(mut operator: Operator, args: &StepDownArgs, mut out: impl Write + Send) -> Result<u8> {
    let client = client_alone(&mut operator).await?;
    let found = read(&client, &operator).await?;
    let replica = wanted(&found, args.replica.as_deref())?;
    let place = place(&operator, &client)?;
    ask(&client, &place, &replica).await?;
    let line = format!("asked {replica} to give back the Lease {place}; waiting for another replica\n");
    explain::write(&mut out, &line)?;
    let deadline = Instant::now() + REST;
    while Instant::now() < deadline {
        sleep(PAUSE).await;
        if let Some(text) = taken(&client, &operator, &place, &replica).await? {
            explain::write(&mut out, &text)?;
            return Ok(0);
        }
    }
    explain::write(&mut out, "no other replica has taken over; start another one, and read its log\n")?;
    Ok(ALONE)
}

fn place(operator: &Operator, client: &Client) -> Result<LeaseName> {
    let replicas = operator.replicas.as_ref().ok_or_else(alone)?;
    Ok(lease_at(operator, replicas, client))
}

fn alone() -> Error {
    let help = "add `--replicas` or `--shards`, as the installed operator has it, or restart its pod";
    Error::new(Reason::Config, "the operator has no replicas that could take over", help)
}

async fn read(client: &Client, operator: &Operator) -> Result<Leader> {
    let (lease, found) = leader(client, operator).await.ok_or_else(alone)?;
    let missing = || Error::new(Reason::Config, format!("the Lease {lease} does not exist"), "start the operator");
    found.map_err(|error| failed(&lease, "read", &error))?.ok_or_else(missing)
}

fn failed(lease: &str, verb: &str, error: &kube::Error) -> Error {
    let headline = format!("the Lease {lease} cannot be {verb}: {}", why(error));
    Error::new(Reason::Unreachable, headline, "check the kubeconfig and the rights of its user on leases")
}

/// The identity of the replica that shall give its lease back.
fn wanted(found: &Leader, name: Option<&str>) -> Result<String> {
    let known: Vec<&str> = match (&found.holder, &*found.replicas) {
        (Some(holder), []) => vec![holder],
        (_, replicas) => replicas.iter().map(String::as_str).collect(),
    };
    let is_it = |identity: &&&str| {
        name.is_none_or(|name| **identity == name || identity.rsplit_once('_').is_some_and(|(pod, _)| pod == name))
    };
    let wrong = |headline: String| {
        let help = match known.is_empty() {
            true => "no replica works; start one".to_owned(),
            false => format!("name one of {}", known.join(", ")),
        };
        Err(Error::new(Reason::Config, headline, help))
    };
    match (&*known.iter().filter(is_it).collect::<Vec<_>>(), name) {
        ([one], _) => Ok((**one).to_owned()),
        ([], Some(name)) => wrong(format!("no replica {name} holds the Lease {}", found.lease)),
        ([], None) => wrong(format!("no replica holds the Lease {}", found.lease)),
        (_, name) => wrong(format!("{} replicas fit {}", known.len(), name.unwrap_or("the command"))),
    }
}

async fn ask(client: &Client, place: &LeaseName, replica: &str) -> Result {
    let change = json!({ "metadata": { "annotations": { STEP_DOWN: replica } } });
    let leases = Api::<Lease>::namespaced(client.clone(), &place.namespace);
    let asked = leases.patch(&place.name, &PatchParams::default(), &Patch::Merge(change)).await;
    asked.map(drop).map_err(|error| failed(&place.to_string(), "changed", &error))
}

/// Who has taken over; `None`: the replica still works, or no other one does yet.
async fn taken(client: &Client, operator: &Operator, place: &LeaseName, replica: &str) -> Result<Option<String>> {
    let Some(shards) = operator.replicas.as_ref().and_then(|replicas| replicas.shards) else {
        let next = read(client, operator).await?.holder.filter(|holder| holder != replica);
        return Ok(next.map(|holder| format!("{holder} leads now\n")));
    };
    let leases = Api::<Lease>::namespaced(client.clone(), &place.namespace);
    for shard in 0..usize::from(shards.get()) {
        let place = shard_lease(place, shard);
        let lease = leases.get_opt(&place.name).await.map_err(|error| failed(&place.to_string(), "read", &error))?;
        let holder = lease.and_then(|lease| lease.spec?.holder_identity).unwrap_or_default();
        if holder.is_empty() || holder == replica {
            return Ok(None);
        }
    }
    Ok(Some(format!("other replicas have all {shards} shards now\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(spec: &serde_json::Value, annotations: &serde_json::Value) -> Leader {
        let object = json!({ "metadata": { "annotations": annotations }, "spec": spec });
        Leader::of("ops/shop".to_owned(), serde_json::from_value(object).unwrap())
    }

    #[test]
    fn the_replica_is_the_leader_or_the_named_one() {
        let one = of(&json!({ "holderIdentity": "web-1_7f" }), &json!({}));
        for name in [None, Some("web-1"), Some("web-1_7f")] {
            assert_eq!(wanted(&one, name).unwrap(), "web-1_7f");
        }
        let error = wanted(&one, Some("web-2")).unwrap_err().to_string();
        assert!(error.contains("no replica web-2") && error.contains("web-1_7f"), "{error}");
        let none = of(&json!({ "holderIdentity": "" }), &json!({}));
        assert!(wanted(&none, None).unwrap_err().to_string().contains("no replica works"));
    }

    #[test]
    fn with_shards_the_replica_has_to_be_named() {
        let shared = of(
            &json!({ "holderIdentity": "16 shards" }),
            &json!({
                "replica.evenkeel.dev/7f": r#"{"replica":"web-1_7f","renewed":"a"}"#,
                "replica.evenkeel.dev/8f": r#"{"replica":"web-2_8f","renewed":"b"}"#,
            }),
        );
        assert_eq!(wanted(&shared, Some("web-2")).unwrap(), "web-2_8f");
        let error = wanted(&shared, None).unwrap_err().to_string();
        assert!(error.contains("2 replicas") && error.contains("web-1_7f, web-2_8f"), "{error}");
    }
}
