//! Calls to the API server for objects of dynamic kinds.

use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request};
use kube::api::{DeleteParams, DynamicObject, GetParams, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::core::request::{Error as RequestError, Request as Verbs};
use kube::{Client, Error, Resource};
use memchr::{memchr, memchr3};
use serde_json::Value;

use super::classify::{classify, is_absent};
use super::request::Sender;
use crate::api::grant::Grant;
use crate::api::{ApiError, Selection, Target};
use crate::client::{DeclaredCalls, FenceRule, OwnPod, decode};
use crate::leadership::{GATE_CLOSED, WritePermit};
use crate::wiring::{KindInfo, Relation, selector_parts};

/// The RBAC verbs of each call. An apply that creates an object needs `create`, too.
const GET: &[&str] = &["get"];
const LIST: &[&str] = &["list"];
const APPLY: &[&str] = &["create", "patch"];
const PATCH: &[&str] = &["patch"];
pub(super) const CREATE: &[&str] = &["create"];
const DELETE: &[&str] = &["delete"];

/// The API calls of one pass or of one of its steps. Writes require a valid permit.
#[derive(Clone)]
pub(crate) struct Calls {
    pub(crate) sender: Sender,
    pub(crate) permit: WritePermit,
    /// The field manager of all writes of the reconciler.
    pub(crate) field_manager: Arc<str>,
    /// Whether returned objects include `managedFields`, which are skipped otherwise.
    pub(crate) whole: bool,
}

/// What is known of an object after its deletion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deleted {
    /// It does not exist any more.
    Gone,
    /// It may have finalizers left.
    Terminating,
    /// It did not exist any more before.
    Absent,
}

/// A request, unless its parameters are invalid.
pub(super) type Prepared = Result<Request<Vec<u8>>, RequestError>;

/// A call in flight. Boxed, since the future is large and each pass would reserve space for all calls that it may make.
type Call<'a> = BoxFuture<'a, Result<Bytes, Error>>;

impl Calls {
    /// The same calls, returning objects with `managedFields`.
    pub(crate) fn whole(&self) -> Self {
        Self { whole: true, ..self.clone() }
    }

    /// The same calls, attributed to this step.
    pub(crate) fn of_step(&self, step: &'static str) -> Self {
        let mut calls = self.clone();
        calls.sender.step = step;
        calls
    }

    /// A client for the calls that a step declares.
    pub(crate) fn client(&self, step: &'static str, relations: &'static [Relation], namespace: Option<&str>) -> Client {
        let Self { sender: Sender { client, answers, .. }, permit, .. } = self;
        let (permit, answers) = (permit.clone(), answers.clone());
        let declared = DeclaredCalls { step, relations, permit, answers, own_pod: OwnPod::of_process() };
        client.declared(&declared, namespace.unwrap_or("default"))
    }

    /// Reads the object; `None`: the server reports that it does not exist.
    pub(crate) async fn get(&self, target: &Target) -> Result<Option<DynamicObject>, ApiError> {
        let call = self.call(verbs(target).get(&target.name, &GetParams::default()));
        let read = async move {
            match call.await {
                // Any other 404 does not show that the object is absent.
                Err(error) if is_absent(&error, &target.name) => Ok(None),
                read => read.map(Some),
            }
        };
        let read = self.sender.answered(read.boxed()).await.map_err(|error| explain(error, GET, target, None))?;
        read.map(|body| self.object(target, &body)).transpose()
    }

    /// Reads the object if it matches the selector; `None`: it does not exist, or does not match.
    pub(crate) async fn find(&self, target: &Target, selector: &str) -> Result<Option<DynamicObject>, ApiError> {
        let name = format!("metadata.name={}", target.name);
        let params = selected(selector);
        let fields = params.field_selector.iter().fold(name, |name, fields| format!("{name},{fields}"));
        let params = params.fields(&fields);
        Ok(self.listed(&target.kind, target.namespace.as_deref(), &params).await?.into_iter().next())
    }

    /// Lists the objects of the selection, of all index entries.
    pub(crate) async fn list(&self, selection: &Selection) -> Result<Vec<DynamicObject>, ApiError> {
        let Selection { kind, namespace, selector, .. } = selection;
        self.listed(kind, namespace.as_deref(), &selected(selector)).await
    }

    async fn listed(
        &self,
        kind: &KindInfo,
        namespace: Option<&str>,
        params: &ListParams,
    ) -> Result<Vec<DynamicObject>, ApiError> {
        let request = Verbs::new(DynamicObject::url_path(&kind.resource, namespace)).list(params);
        self.listed_by(request, kind, namespace).await
    }

    pub(super) async fn listed_by(
        &self,
        request: Prepared,
        kind: &KindInfo,
        namespace: Option<&str>,
    ) -> Result<Vec<DynamicObject>, ApiError> {
        let body = self.sender.answered(self.call(request)).await;
        let grant = Grant { verbs: LIST, resource: &kind.resource, subresource: None, namespace };
        let body = body.map_err(|error| grant.explain(error))?;
        decode::list(&body, self.whole).map_err(undecoded)
    }

    /// Server-side apply with `force`.
    pub(crate) async fn apply(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        let params = PatchParams::apply(&self.field_manager).force();
        self.write(target, APPLY, None, verbs(target).patch(&target.name, &params, &Patch::Apply(object))).await
    }

    /// Server-side apply of the status with `force`. The object is JSON, and so is the response, which is not decoded.
    pub(crate) async fn apply_status(&self, target: &Target, object: &str) -> Result<Bytes, ApiError> {
        let (params, nothing) = (PatchParams::apply(&self.field_manager).force(), Patch::Apply(&Value::Null));
        let request = verbs(target).patch_subresource("status", &target.name, &params, &nothing);
        let request = request.map(|request| request.map(|_| object.as_bytes().to_vec()));
        self.sent(target, PATCH, Some("status"), request).await
    }

    /// JSON patch of the object, or of its subresource.
    pub(crate) async fn json_patch(
        &self,
        target: &Target,
        subresource: Option<&str>,
        operations: &Value,
    ) -> Result<DynamicObject, ApiError> {
        // kube's own JSON patch requires another crate.
        let (params, nothing) = (self.patch_params(), Patch::Merge(&Value::Null));
        let request = match subresource {
            Some(subresource) => verbs(target).patch_subresource(subresource, &target.name, &params, &nothing),
            None => verbs(target).patch(&target.name, &params, &nothing),
        };
        let request = request.map(|mut request| {
            *request.body_mut() = as_go_writes(operations.to_string()).into_bytes();
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json-patch+json"));
            request
        });
        self.write(target, PATCH, subresource, request).await
    }

    /// Merge patch of the object.
    pub(crate) async fn merge(&self, target: &Target, patch: &Value) -> Result<DynamicObject, ApiError> {
        let request = verbs(target).patch(&target.name, &self.patch_params(), &Patch::Merge(patch));
        self.write(target, PATCH, None, request).await
    }

    /// Merge patch of the status.
    pub(crate) async fn merge_status(&self, target: &Target, patch: &Value) -> Result<DynamicObject, ApiError> {
        let request =
            verbs(target).patch_subresource("status", &target.name, &self.patch_params(), &Patch::Merge(patch));
        self.write(target, PATCH, Some("status"), request).await
    }

    /// Creates the object; an existing object of this name is a conflict.
    pub(crate) async fn create(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        let params = PostParams { field_manager: Some(self.field_manager.to_string()), ..PostParams::default() };
        let request = verbs(target).create(&params, object.to_string().into_bytes());
        match self.write(target, CREATE, None, request).await {
            Err(ApiError::Failed(text)) if text.ends_with("already exists") => Err(ApiError::Conflict(text)),
            answer => answer,
        }
    }

    /// Deletes this version of the object, and what it owns after it. Another version is a conflict; an absent object is no error.
    pub(crate) async fn delete(&self, target: &Target, uid: &str, version: &str) -> Result<(), ApiError> {
        self.delete_with(DeleteParams::background(), target, uid, version).await.map(drop)
    }

    /// The same with other parameters, and what is known of the object then.
    pub(crate) async fn delete_with(
        &self,
        params: DeleteParams,
        target: &Target,
        uid: &str,
        version: &str,
    ) -> Result<Deleted, ApiError> {
        let preconditions = Preconditions { uid: Some(uid.to_owned()), resource_version: Some(version.to_owned()) };
        let params = params.preconditions(preconditions);
        let request = self.permitted(verbs(target).delete(&target.name, &params))?;
        match self.sender.answered(self.call(request)).await {
            Ok(body) if decode::is_status(&body) => Ok(Deleted::Gone),
            Ok(body) => self.object(target, &body).map(|_| Deleted::Terminating),
            Err(missing) if missing.is_404() => match self.get(target).await? {
                Some(_) => Err(missing),
                None => Ok(Deleted::Absent),
            },
            Err(error) => Err(explain(error, DELETE, target, None)),
        }
    }

    /// Sends a write and returns the resulting object.
    pub(super) async fn write(
        &self,
        target: &Target,
        rights: &[&str],
        subresource: Option<&str>,
        request: Prepared,
    ) -> Result<DynamicObject, ApiError> {
        let body = self.sent(target, rights, subresource, request).await?;
        self.object(target, &body)
    }

    /// Sends a write and returns the response.
    async fn sent(
        &self,
        target: &Target,
        rights: &[&str],
        subresource: Option<&str>,
        request: Prepared,
    ) -> Result<Bytes, ApiError> {
        let body = self.sender.answered(self.call(self.permitted(request)?)).await;
        body.map_err(|error| explain(error, rights, target, subresource))
    }

    fn call(&self, request: Prepared) -> Call<'_> {
        async move { self.sender.send(request.map_err(Error::BuildRequest)?).await }.boxed()
    }

    fn patch_params(&self) -> PatchParams {
        PatchParams { field_manager: Some(self.field_manager.to_string()), ..PatchParams::default() }
    }

    /// Decodes the object in a response and checks its name. A proxy may answer with any JSON, which proves neither a read nor a write.
    pub(crate) fn object(&self, target: &Target, body: &[u8]) -> Result<DynamicObject, ApiError> {
        let object = decode::object(body, self.whole).map_err(undecoded)?;
        match object.metadata.name.as_deref() == Some(&*target.name) {
            true => Ok(object),
            false => Err(ApiError::Failed(
                format!("the response of the API server is not the object {}", target.name).into(),
            )),
        }
    }

    /// The write with the permit, which a fenced client checks again when the connection is ready.
    fn permitted(&self, request: Prepared) -> Result<Prepared, ApiError> {
        if !self.permit.is_valid() {
            return Err(ApiError::Failed(GATE_CLOSED.into()));
        }
        Ok(request.map(|mut request| {
            request.extensions_mut().insert(FenceRule::Permit(self.permit.clone()));
            request
        }))
    }
}

/// The parameters of a list of the objects that match a selector.
pub(super) fn selected(selector: &str) -> ListParams {
    let (labels, fields) = selector_parts(selector);
    let (label_selector, field_selector) = (labels.map(ToOwned::to_owned), fields.map(ToOwned::to_owned));
    ListParams { label_selector, field_selector, ..ListParams::default() }
}

/// Builds the requests for objects of the target's kind and namespace.
pub(super) fn verbs(target: &Target) -> Verbs {
    Verbs::new(DynamicObject::url_path(&target.kind.resource, target.namespace.as_deref()))
}

fn undecoded(error: serde_json::Error) -> ApiError {
    classify(Error::SerdeError(error))
}

/// Adds the missing RBAC rule to the error of a call on the target, if that is the cause.
fn explain(error: ApiError, verbs: &[&str], target: &Target, subresource: Option<&str>) -> ApiError {
    let (resource, namespace) = (&target.kind.resource, target.namespace.as_deref());
    Grant { verbs, resource, subresource, namespace }.explain(error)
}

/// The characters that Go's encoder escapes. In JSON they occur only within strings.
const ESCAPED: [char; 5] = ['<', '>', '&', '\u{2028}', '\u{2029}'];

/// JSON with the escapes of Go's encoder. The API server compares the value of a `test` as text, and its own text has these characters
/// escaped.
pub(in crate::pass) fn as_go_writes(text: String) -> String {
    // The last two begin with 0xe2 in UTF-8.
    if memchr3(b'<', b'>', b'&', text.as_bytes()).or_else(|| memchr(0xe2, text.as_bytes())).is_none() {
        return text;
    }
    ESCAPED.iter().fold(text, |text, char| text.replace(*char, &format!("\\u{:04x}", u32::from(*char))))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pass::api::scripted::{Script, absent, error, object, target};

    #[tokio::test]
    async fn delete_rereads_the_object_only_after_a_404() {
        let other = || object("1", &json!({ "name": "y" }));
        for (answers, is_deleted, asked) in [
            (vec![object("1", &json!({}))], true, 1),
            (
                vec![(200, json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success" }))],
                true,
                1,
            ),
            (vec![absent(), absent()], true, 2),
            (vec![absent(), object("2", &json!({}))], false, 2),
            (vec![error(500, "InternalError", "no"), absent()], false, 1),
            (vec![error(409, "Conflict", "newer"), absent()], false, 1),
            (vec![other()], false, 1),
        ] {
            let script = Script::new(answers.clone());
            let deleted = script.calls.delete(&target(), "u", "1").await;
            assert_eq!((deleted.is_ok(), script.asked().len()), (is_deleted, asked), "{answers:?}: {deleted:?}");
        }
        for read in [other(), (200, json!({ "kind": "ConfigMap", "apiVersion": "v1" }))] {
            assert!(matches!(Script::new([read]).calls.get(&target()).await, Err(ApiError::Failed(_))));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn nothing_is_written_after_leadership_is_lost() {
        let script = Script::new([]);
        script.gate.close();
        let (calls, target, nothing) = (&script.calls, &target(), &json!({}));
        assert!(calls.apply(target, nothing).await.is_err());
        assert!(calls.apply_status(target, "{}").await.is_err());
        assert!(calls.json_patch(target, None, nothing).await.is_err());
        assert!(calls.merge(target, nothing).await.is_err());
        assert!(calls.merge_status(target, nothing).await.is_err());
        assert!(calls.create(target, nothing).await.is_err());
        assert!(calls.delete(target, "u", "1").await.is_err());
        assert!(script.asked().is_empty());
    }

    #[tokio::test]
    async fn create_conflicts_only_with_an_existing_object() {
        let created = |answer| async move { Script::new([answer]).calls.create(&target(), &json!({})).await };
        assert!(matches!(created(error(409, "AlreadyExists", "x already exists")).await, Err(ApiError::Conflict(_))));
        assert!(matches!(created(error(500, "InternalError", "etcd")).await, Err(ApiError::Failed(_))));
        assert!(created(object("1", &json!({}))).await.is_ok());
    }

    #[tokio::test]
    async fn every_write_names_its_field_manager() {
        let script = Script::new((0..6).map(|version| object(&version.to_string(), &json!({}))));
        let (calls, target, nothing) = (&script.calls, &target(), &json!({}));
        calls.apply(target, nothing).await.unwrap();
        calls.apply_status(target, "{}").await.unwrap();
        calls.json_patch(target, None, nothing).await.unwrap();
        calls.merge(target, nothing).await.unwrap();
        calls.merge_status(target, nothing).await.unwrap();
        calls.create(target, nothing).await.unwrap();
        let queries = script.queries();
        assert_eq!(queries.len(), 6);
        assert!(queries.iter().all(|query| query.contains("fieldManager=tester")), "{queries:?}");
    }

    #[tokio::test]
    async fn an_object_is_absent_only_if_the_404_names_it() {
        let read = |answer| async move { Script::new([answer]).calls.get(&target()).await };
        assert!(matches!(read(absent()).await, Ok(None)));
        let unknown = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 404,
            "reason": "NotFound", "message": "the server could not find the requested resource" });
        assert!(matches!(read((404, unknown)).await, Err(ApiError::NotServed(_))));
        assert!(matches!(read(error(500, "InternalError", "no")).await, Err(ApiError::Failed(_))));
    }

    #[test]
    fn a_json_patch_is_escaped_like_go_json() {
        let patch = json!([{ "op": "test", "value": "<b> & \u{2028}\u{2029} \"ü\"" }]);
        let text = as_go_writes(patch.to_string());
        assert_eq!(text, r#"[{"op":"test","value":"\u003cb\u003e \u0026 \u2028\u2029 \"ü\""}]"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), patch);
    }
}
