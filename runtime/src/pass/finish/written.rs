//! The response to a status write.

use std::sync::Arc;

use kube::api::{DynamicObject, ObjectMeta};
use serde::Serialize;
use serde_json::Value;

use crate::api::{ApiError, Target};
use crate::pass::api::calls::Calls;
use crate::pass::api::identity::{Identity, Unwritten};
use crate::pipeline::object::Object;
use crate::queue::Key;
use crate::watch::Primary;

/// The object that a write of its status returned.
#[derive(Debug)]
pub(in crate::pass) enum Written {
    /// Its status is the one that was sent.
    AsSent(Arc<Object>),
    /// Its status may have further fields, or the object does not fit its type.
    Other(Box<DynamicObject>),
}

impl Written {
    pub(in crate::pass) fn meta(&self) -> &ObjectMeta {
        match self {
            Self::AsSent(object) => object.meta(),
            Self::Other(object) => &object.metadata,
        }
    }

    /// The status, unless it is the one that was sent.
    pub(in crate::pass) fn other_status(&self) -> Option<&Value> {
        match self {
            Self::AsSent(_) => None,
            Self::Other(object) => object.data.get("status"),
        }
    }
}

/// The body of a status write.
pub(super) struct Sent {
    text: String,
    /// Where the status begins, with its name.
    status: usize,
}

impl Sent {
    /// The status for this version of the target, as JSON in the form of API servers.
    pub(super) fn new(target: &Target, version: &str, status: &str) -> Self {
        // Apply ignores a wrong uid; only the version prevents a write to a recreated object.
        let metadata = Meta { name: &target.name, namespace: target.namespace.as_deref(), resource_version: version };
        let resource = &target.kind.resource;
        let head = Head { api_version: &resource.api_version, kind: &resource.kind, metadata };
        // A struct of texts can be written as JSON.
        let mut text = serde_json::to_string(&head).unwrap_or_default();
        text.pop();
        let at = text.len();
        text.extend([",\"status\":", status, "}"]);
        Self { text, status: at }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Decodes the response. Most often it has the status that was sent, so that only the object is decoded, to its type.
    ///
    /// # Errors
    /// The response is not the object: a proxy may answer with any JSON, which does not prove that the status was written.
    pub(super) fn response(
        &self,
        calls: &Calls,
        identity: &Identity,
        primary: &Primary,
        body: &[u8],
    ) -> Result<Written, Unwritten> {
        let Target { namespace, name, .. } = &identity.target;
        if let Some(text) = self.in_response(body)
            && let Ok(object) =
                primary.answered(&Key::new(namespace.as_deref(), name), &identity.uid, text, calls.whole)
            && object.meta().name.as_deref() == Some(&**name)
            && object.uid() == &*identity.uid
        {
            return Ok(Written::AsSent(object));
        }
        let object = calls.object(&identity.target, body).map_err(Unwritten::Failed)?;
        of_object(identity, object)
    }

    /// The text of the response, if its status is the one that was sent. API servers write the status last, and keys in the same order.
    fn in_response<'b>(&self, body: &'b [u8]) -> Option<&'b str> {
        let text = std::str::from_utf8(body).ok()?.trim_ascii_end();
        text.ends_with(&self.text[self.status..]).then_some(text)
    }
}

/// Checks the object in the response to a write.
///
/// # Errors
/// It is another object.
pub(super) fn of_object(identity: &Identity, answer: DynamicObject) -> Result<Written, Unwritten> {
    match answer.metadata.uid.as_deref() == Some(&*identity.uid) {
        true => Ok(Written::Other(Box::new(answer))),
        false => Err(Unwritten::Failed(ApiError::Failed("the response to the write is not the object".into()))),
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Head<'a> {
    api_version: &'a str,
    kind: &'a str,
    metadata: Meta<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    namespace: Option<&'a str>,
    resource_version: &'a str,
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;
    use crate::client::decode::Decoder;
    use crate::pass::api::calls::as_go_writes;
    use crate::pass::api::scripted::{Script, identity, object, target};
    use crate::pipeline::bare::Bare;

    fn sent(status: &Value) -> Sent {
        Sent::new(&target(), "5", &as_go_writes(status.to_string()))
    }

    #[test]
    fn a_status_is_sent_with_its_version() {
        let metadata = json!({ "name": "x", "namespace": "a", "resourceVersion": "5" });
        let text = r#"a "quoted" <b> & \u{2028}"#;
        let body: Value = serde_json::from_str(sent(&json!({ "phase": text })).text()).unwrap();
        let object =
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "status": { "phase": text } });
        assert_eq!(body, object);
        let cluster = Sent::new(&Target { namespace: None, ..target() }, "5", "{}");
        let body: Value = serde_json::from_str(cluster.text()).unwrap();
        assert_eq!(body["metadata"], json!({ "name": "x", "resourceVersion": "5" }));
    }

    /// What a response with this text and metadata is taken for, after this status was sent.
    fn taken(status: &Value, metadata: &Value, text: impl Fn(String) -> String) -> Result<Written, Unwritten> {
        let (_, object) = object("6", metadata);
        let body = text(object.to_string().trim_end_matches('}').to_owned() + "}");
        let primary = Primary::new(Decoder::of::<Bare<ConfigMap>>());
        sent(status).response(&Script::new([]).calls, &identity(), &primary, body.as_bytes())
    }

    #[tokio::test]
    async fn a_response_with_the_sent_status_is_decoded_once() {
        let status = json!({ "conditions": [], "phase": "<done>" });
        let with = |status: &str| {
            let status = status.to_owned();
            move |object: String| format!("{object},\"status\":{status}}}\n")
        };
        let same = r#"{"conditions":[],"phase":"\u003cdone\u003e"}"#;
        let managed = json!({ "managedFields": [{ "manager": "a" }] });
        for metadata in [json!({}), managed] {
            let Written::AsSent(object) = taken(&status, &metadata, with(same)).unwrap() else { panic!("{metadata}") };
            assert_eq!((object.resource_version(), &object.meta().managed_fields), ("6", &None));
        }
        for other in [r#"{"conditions":[],"phase":"<done>"}"#, r#"{"conditions":[],"phase":"\u003cdone\u003e","x":1}"#]
        {
            let written = taken(&status, &json!({}), with(other)).unwrap();
            assert_eq!(written.other_status(), Some(&serde_json::from_str(other).unwrap()));
        }
        let inside = |object: String| format!("{object},\"spec\":{{\"a\":1{}}}", with(same)(String::new()).trim_end());
        assert!(matches!(taken(&status, &json!({}), inside).unwrap(), Written::Other(_)), "the status of a field");
    }

    #[tokio::test]
    async fn a_response_about_another_object_is_an_error() {
        let same = |object: String| format!("{object},\"status\":{{}}}}");
        assert!(matches!(taken(&json!({}), &json!({}), same), Ok(Written::AsSent(_))));
        for metadata in [json!({ "uid": "v" }), json!({ "name": "y" })] {
            assert!(matches!(taken(&json!({}), &metadata, same), Err(Unwritten::Failed(_))), "{metadata}");
        }
        assert!(matches!(taken(&json!({}), &json!({}), |_| "{}".into()), Err(Unwritten::Failed(_))));
    }
}
