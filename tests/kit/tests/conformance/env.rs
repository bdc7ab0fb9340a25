//! The environment of a rule: a client, a namespace, and the kind that it writes.

use evenkeel_testkit::Cluster;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DynamicObject, PostParams};
use kube::client::Body;
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Api, Client};
use serde_json::{Value, json};

use crate::check::{Broken, Verdict, eventually, json};
use crate::crd::condition;

pub(crate) const GROUP: &str = "conform.evenkeel.dev";
pub(crate) const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The environment of one rule on one server.
#[derive(Clone)]
pub(crate) struct Env {
    pub(crate) client: Client,
    pub(crate) namespace: String,
    /// The embedded server; `None` for a real server.
    pub(crate) cluster: Option<Cluster>,
}

/// A raw HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: http::HeaderMap,
    pub(crate) body: Value,
}

impl Env {
    /// The API of the custom kind that most rules use.
    pub(crate) fn widgets(&self) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), &self.namespace, &Self::kind())
    }

    pub(crate) fn kind() -> ApiResource {
        ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(GROUP, "v1", "Widget"), "widgets")
    }

    pub(crate) fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    pub(crate) fn map(&self, name: &str) -> ConfigMap {
        map(json!({"metadata": {"name": name}, "data": {"k": "1"}}))
    }

    /// Creates a widget.
    pub(crate) async fn widget(&self, name: &str, spec: Value) -> kube::Result<DynamicObject> {
        let widget = DynamicObject::new(name, &Self::kind()).data(json!({"spec": spec}));
        self.widgets().create(&PostParams::default(), &widget).await
    }

    /// A path below the widgets in the namespace of this rule.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/apis/{GROUP}/v1/namespaces/{}/widgets{rest}", self.namespace)
    }

    /// A path below the namespace, in the core group.
    pub(crate) fn core(&self, rest: &str) -> String {
        format!("/api/v1/namespaces/{}/{rest}", self.namespace)
    }

    /// Sends a raw request; the default media type is JSON.
    pub(crate) async fn send(&self, method: &str, path: &str, media: &str, body: &str) -> Result<Answer, Broken> {
        self.exchange(method, path, media, "application/json", body).await
    }

    /// Sends a GET with an Accept header.
    pub(crate) async fn accepting(&self, path: &str, accept: &str) -> Result<Answer, Broken> {
        self.exchange("GET", path, "", accept, "").await
    }

    /// Sends a raw request with an Accept header.
    pub(crate) async fn exchange(
        &self,
        method: &str,
        path: &str,
        media: &str,
        accept: &str,
        body: &str,
    ) -> Result<Answer, Broken> {
        let request = http::Request::builder().method(method).uri(path).header("Accept", accept);
        self.sent(request, media, body).await
    }

    /// Sends a request as another user; the default media type is JSON.
    pub(crate) async fn as_user_with(
        &self,
        user: &str,
        method: &str,
        path: &str,
        media: &str,
        body: &str,
    ) -> Result<Answer, Broken> {
        let request = http::Request::builder().method(method).uri(path).header("Accept", "application/json");
        self.sent(request.header("Impersonate-User", user), media, body).await
    }

    pub(crate) async fn as_user(&self, user: &str, method: &str, path: &str, body: &str) -> Result<Answer, Broken> {
        self.as_user_with(user, method, path, "", body).await
    }

    async fn sent(&self, request: http::request::Builder, media: &str, body: &str) -> Result<Answer, Broken> {
        let media = if media.is_empty() { "application/json" } else { media };
        let request = request.header("Content-Type", media).body(Body::from(body.as_bytes().to_vec()))?;
        let (head, body) = self.client.send(request).await?.into_parts();
        let bytes = body.collect().await?.to_bytes();
        let text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
        let body = serde_json::from_slice(&bytes).unwrap_or_else(|_| text());
        Ok(Answer { status: head.status.as_u16(), headers: head.headers, body })
    }

    pub(crate) async fn get(&self, path: &str) -> Result<Answer, Broken> {
        self.send("GET", path, "", "").await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        self.send("POST", path, "", &body.to_string()).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        self.send("PUT", path, "", &body.to_string()).await
    }

    pub(crate) async fn merge(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        self.send("PATCH", path, "application/merge-patch+json", &body.to_string()).await
    }

    pub(crate) async fn json_patch(&self, path: &str, body: &Value) -> Result<Answer, Broken> {
        self.send("PATCH", path, "application/json-patch+json", &body.to_string()).await
    }

    /// Applies the spec of a widget with the manager in the query.
    pub(crate) async fn apply(&self, name: &str, query: &str, content: Value) -> Result<Answer, Broken> {
        let mut body = json!({"apiVersion": format!("{GROUP}/v1"), "kind": "Widget", "metadata": {"name": name}});
        merge_into(&mut body, content);
        let path = self.path(&format!("/{name}?{query}"));
        self.send("PATCH", &path, "application/apply-patch+yaml", &body.to_string()).await
    }

    /// Creates the CRD of the rules, and waits until the namespace and the kind are served.
    pub(crate) async fn prepare(&self) -> Verdict {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.namespace}});
        self.post("/api/v1/namespaces", &namespace).await?.is(201)?;
        self.define(&serde_json::from_str(include_str!("widget.json"))?).await
    }

    /// Creates a CRD if it does not exist, and waits until it is served.
    pub(crate) async fn define(&self, crd: &Value) -> Verdict {
        let answer = self.post(CRDS, crd).await?;
        if answer.status != 201 && answer.body["reason"] != "AlreadyExists" {
            return Err(format!("definition refused: {}", answer.body).into());
        }
        let route = format!("/apis/{}/v1/{}", text(&crd["spec"]["group"]), text(&crd["spec"]["names"]["plural"]));
        let definition = format!("{CRDS}/{}", text(&crd["metadata"]["name"]));
        // A CRD is served once its names are accepted. If it is deleted before it is Established, its objects are left behind.
        let established = || async {
            let (list, stored) = (self.get(&route).await?, self.get(&definition).await?);
            let established = condition(&stored.body, "Established") == "True";
            Ok((list.body["items"].is_array() && established).then_some(()))
        };
        eventually("the kind is served, and for good", established).await
    }

    /// A small CRD in the given group.
    pub(crate) fn definition(group: &str, kind: &str, schema: &Value, subresources: &Value) -> Value {
        let singular = kind.to_lowercase();
        let version = json!({"name": "v1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": schema}, "subresources": subresources});
        json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{singular}s.{group}")},
            "spec": {"group": group, "scope": "Namespaced", "versions": [version],
                "names": {"plural": format!("{singular}s"), "singular": singular, "kind": kind, "listKind": format!("{kind}List")}}})
    }

    /// A group that is unique to this rule and this run.
    pub(crate) fn group(&self) -> String {
        format!("{}.evenkeel.dev", self.namespace)
    }
}

impl Answer {
    /// Checks that the response has this status code.
    pub(crate) fn is(self, status: u16) -> Result<Self, Broken> {
        if self.status == status {
            Ok(self)
        } else {
            Err(format!("expected {status}, found {} {}", self.status, self.body).into())
        }
    }

    /// Checks that the request was rejected with this code and reason.
    pub(crate) fn refuses(self, status: u16, reason: &str) -> Result<Self, Broken> {
        let answer = self.is(status)?;
        let found = text(&answer.body["reason"]);
        if found == reason { Ok(answer) } else { Err(format!("expected {reason}, found {}", answer.body).into()) }
    }

    pub(crate) fn version(&self) -> String {
        text(&self.body["metadata"]["resourceVersion"]).to_owned()
    }

    /// The fields in an error, sorted and without duplicates.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let causes = self.body["details"]["causes"].as_array();
        let mut fields: Vec<&str> = causes.into_iter().flatten().map(|cause| text(&cause["field"])).collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    }

    /// The managed fields entry of a manager.
    pub(crate) fn entry(&self, manager: &str) -> Option<&Value> {
        let entries = self.body["metadata"]["managedFields"].as_array()?;
        entries.iter().find(|entry| entry["manager"] == manager)
    }

    /// The fields that a manager owns; null if there are none.
    pub(crate) fn owned(&self, manager: &str) -> Value {
        self.entry(manager).map_or(Value::Null, |entry| entry["fieldsV1"].clone())
    }
}

pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub(crate) fn map(content: Value) -> ConfigMap {
    serde_json::from_value(content).unwrap_or_default()
}

/// The object as JSON, with a change merged into it.
pub(crate) fn with(object: &impl serde::Serialize, change: Value) -> Value {
    let mut object = json(object);
    merge_into(&mut object, change);
    object
}

fn merge_into(target: &mut Value, change: Value) {
    match (target, change) {
        (Value::Object(target), Value::Object(change)) => {
            for (key, value) in change {
                merge_into(target.entry(key).or_insert(Value::Null), value);
            }
        }
        (target, change) => *target = change,
    }
}
