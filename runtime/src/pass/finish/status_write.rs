//! The status write: one request per pass, only if the status differs, never to another object of the same name.

use kube::api::DynamicObject;
use serde_json::json;

use crate::api::ApiError;
use crate::pass::api::calls::{Calls, as_go_writes};
use crate::pass::api::gone;
use crate::pass::api::identity::{Identity, Unwritten};
use crate::pass::finish::managed_fields::{self, Take};
use crate::pass::finish::written::{Sent, Written};
use crate::pipeline::state::DesiredStatus;
use crate::resource_version::is_older;
use crate::watch::Primary;

/// How often a write is repeated after a conflict before the pass is discarded.
pub(in crate::pass) const RESENDS: usize = 3;

/// Applies the intent to the version that the pass knows. Repeats the write for a newer version if the results of the pass still apply to
/// it, without another run of the body.
pub(in crate::pass) async fn write(
    calls: &Calls,
    identity: &Identity,
    primary: &Primary,
    version: &str,
    intent: &DesiredStatus,
) -> Result<Written, Unwritten> {
    let mut version = version.to_owned();
    let status = as_go_writes(intent.to_text());
    for _ in 0..=RESENDS {
        let sent = Sent::new(&identity.target, &version, &status);
        match calls.apply_status(&identity.target, sent.text()).await {
            Ok(body) => return sent.response(calls, identity, primary, &body),
            Err(ApiError::Conflict(_)) => version = newer_version(calls, identity, &version).await?,
            Err(error) => return Err(gone::after_status(calls, identity, error).await),
        }
    }
    Err(Unwritten::Outdated)
}

/// The version of the object after `known`. An older version means a restored store, where the same generation may belong to another spec.
async fn newer_version(calls: &Calls, identity: &Identity, known: &str) -> Result<String, Unwritten> {
    let unread = || Unwritten::Failed(ApiError::Failed("the object was read without a resourceVersion".into()));
    let version = newer(calls, identity).await?.metadata.resource_version.ok_or_else(unread)?;
    if is_older(&version, known) { Err(Unwritten::Outdated) } else { Ok(version) }
}

/// Reads the live object, if the results of the pass still apply to it.
pub(in crate::pass) async fn newer(calls: &Calls, identity: &Identity) -> Result<DynamicObject, Unwritten> {
    let live = gone::live(calls, identity).await?;
    if identity.holds_for(&live) { Ok(live) } else { Err(Unwritten::Outdated) }
}

/// Reads the live object, if it is in the same state of deletion and of no earlier generation. A restored store has earlier ones.
pub(in crate::pass) async fn same(calls: &Calls, identity: &Identity) -> Result<DynamicObject, Unwritten> {
    let live = gone::live(calls, identity).await?;
    let is_same = live.metadata.deletion_timestamp.is_some() == identity.deleting;
    let is_back = live.metadata.generation < identity.generation;
    if identity.urgent || is_same && !is_back { Ok(live) } else { Err(Unwritten::Outdated) }
}

/// Takes over status fields of other managers, so that the next write removes those that it leaves out. Returns the new version; `None`: no
/// other manager holds any of them.
pub(in crate::pass) async fn take_over(
    calls: &Calls,
    identity: &Identity,
    take: Take<'_>,
) -> Result<Option<String>, Unwritten> {
    let calls = &Calls { whole: true, ..calls.clone() };
    let live = gone::live(calls, identity).await?;
    let Some(fields) = managed_fields::managed_fields(&live, &calls.field_manager, take) else {
        return Ok(None);
    };
    if !identity.holds_for(&live) {
        return Err(Unwritten::Outdated);
    }
    // Not through the status subresource, which ignores managedFields.
    let patch = json!({ "metadata": { "resourceVersion": live.metadata.resource_version, "managedFields": fields } });
    match calls.merge(&identity.target, &patch).await {
        Ok(object) => Ok(object.metadata.resource_version),
        Err(ApiError::Conflict(_)) => Err(Unwritten::Outdated),
        Err(error) => Err(gone::after(calls, identity, error).await),
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::Value;

    use super::*;
    use crate::client::decode::Decoder;
    use crate::pass::api::scripted::{Answer, Script, absent, conflict, error, identity, object};
    use crate::pipeline::bare::Bare;

    /// Writes the status of version 5 against these responses. Returns the result and the script with the requests.
    async fn written(answers: impl IntoIterator<Item = Answer>) -> (Result<Written, Unwritten>, Script) {
        let script = Script::new(answers);
        let primary = Primary::new(Decoder::of::<Bare<ConfigMap>>());
        let written = write(&script.calls, &identity(), &primary, "5", &DesiredStatus::empty()).await;
        (written, script)
    }

    #[tokio::test]
    async fn the_status_is_sent_again_for_the_same_generation() {
        let (written, script) = written([conflict(), object("7", &json!({})), object("8", &json!({}))]).await;
        assert_eq!(written.unwrap().meta().resource_version.as_deref(), Some("8"));
        assert_eq!(script.asked(), ["PATCH status", "GET x", "PATCH status"]);
        let versions: Vec<Value> =
            script.sent().iter().map(|sent| sent["metadata"]["resourceVersion"].clone()).collect();
        assert_eq!(versions, [json!("5"), Value::Null, json!("7")]);
        assert_eq!(script.sent()[0]["metadata"]["namespace"], "a");
    }

    #[tokio::test]
    async fn a_new_generation_or_restored_object_discards_the_status() {
        let now = "2026-01-01T00:00:00Z";
        for found in
            [json!({ "generation": 2 }), json!({ "deletionTimestamp": now }), json!({ "resourceVersion": "4" })]
        {
            let (written, script) = written([conflict(), object("7", &found)]).await;
            assert_eq!((written.unwrap_err(), script.asked().len()), (Unwritten::Outdated, 2), "{found}");
        }
        let (gone, _) = written([conflict(), absent()]).await;
        assert_eq!(gone.unwrap_err(), Unwritten::Gone);
        let (gone, _) = written([conflict(), object("7", &json!({ "uid": "v" }))]).await;
        assert_eq!(gone.unwrap_err(), Unwritten::Gone);
        let (unread, _) = written([conflict(), object("7", &json!({ "resourceVersion": null }))]).await;
        assert!(matches!(unread.unwrap_err(), Unwritten::Failed(_)));
    }

    #[tokio::test]
    async fn a_status_write_is_sent_again_three_times() {
        let rounds = (6..20).flat_map(|version| [conflict(), object(&version.to_string(), &json!({}))]);
        let (written, script) = written(rounds).await;
        assert_eq!(written.unwrap_err(), Unwritten::Outdated);
        assert_eq!(script.times("PATCH status"), 1 + RESENDS);
    }

    #[tokio::test]
    async fn a_response_about_another_object_is_an_error() {
        let (other, _) = written([object("6", &json!({ "uid": "v" }))]).await;
        assert!(matches!(other.unwrap_err(), Unwritten::Failed(_)));
        let (failed, script) = written([error(500, "InternalError", "etcd")]).await;
        assert!(matches!(failed.unwrap_err(), Unwritten::Failed(_)));
        assert_eq!(script.asked().len(), 1);
    }

    #[tokio::test]
    async fn a_patch_accepts_every_version_but_restored_ones() {
        let now = "2026-01-01T00:00:00Z";
        let same = |found: Value, urgent: bool| async move {
            let script = Script::new([object("7", &found)]);
            same(&script.calls, &Identity { urgent, generation: Some(2), ..identity() }).await.is_ok()
        };
        assert!(same(json!({ "generation": 2 }), false).await && same(json!({ "generation": 3 }), false).await);
        assert!(!same(json!({ "generation": 1 }), false).await, "set back");
        assert!(!same(json!({ "generation": 2, "deletionTimestamp": now }), false).await);
        assert!(same(json!({ "generation": 1, "deletionTimestamp": now }), true).await, "urgent");
    }

    #[test]
    fn an_urgent_status_is_written_for_any_generation() {
        let (_, live) = object("7", &json!({ "generation": 9 }));
        let live: DynamicObject = serde_json::from_value(live).unwrap();
        assert!(!identity().holds_for(&live));
        assert!(Identity { urgent: true, ..identity() }.holds_for(&live));
        assert!(Identity { generation: Some(9), ..identity() }.holds_for(&live));
        assert!(!Identity { generation: Some(9), deleting: true, ..identity() }.holds_for(&live));
    }
}
