//! Calls to the API server on erased kinds: one monomorphisation, one place where errors are classed.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, Preconditions};
use kube::core::{ObjectList, Request, Status};
use kube::{Client, Error};
use serde_json::Value;

use crate::api::grant::Grant;
use crate::api::{ApiError, Target};
use crate::client::chain;
use crate::client::decode::{Object, keeping};
use crate::leadership::Permit;
use crate::watch::CREDENTIALS;

/// How long a call may go unanswered: API servers give up on a request after 60 s themselves, and most answer in milliseconds.
const ANSWER: Duration = Duration::from_secs(30);

/// The verbs that RBAC checks for a call. An apply that creates an object needs `create`, too.
const GET: &[&str] = &["get"];
const LIST: &[&str] = &["list"];
const APPLY: &[&str] = &["create", "patch"];
const PATCH: &[&str] = &["patch"];
const CREATE: &[&str] = &["create"];
const DELETE: &[&str] = &["delete"];

/// The client of one pass: writes only while its permit holds.
#[derive(Clone)]
pub(crate) struct Calls {
    pub(crate) client: Arc<Client>,
    pub(crate) permit: Permit,
    /// Field manager of everything that the reconciler writes.
    pub(crate) manager: Arc<str>,
    /// Whether objects are returned with what is skipped otherwise (`managedFields`).
    pub(crate) whole: bool,
}

/// A call on its way: on the heap, as it is long, and every pass has room for all calls that it may make.
type Call<'a, T> = BoxFuture<'a, Result<T, Error>>;

impl Calls {
    fn api(&self, target: &Target) -> Api<Object> {
        match &target.namespace {
            Some(namespace) => Api::namespaced_with(Client::clone(&self.client), namespace, &*target.kind.resource),
            None => Api::all_with(Client::clone(&self.client), &*target.kind.resource),
        }
    }

    /// The same calls, whose objects come with their field managers.
    pub(crate) fn whole(&self) -> Self {
        Self { whole: true, ..self.clone() }
    }

    /// Reads the object; `None`: the answer shows that it is not there.
    pub(crate) async fn get(&self, target: &Target) -> Result<Option<DynamicObject>, ApiError> {
        let api = self.api(target);
        let read = async move {
            // Not `get_opt`: that takes every 404 for an absent object.
            match api.get(&target.name).await {
                Err(error) if is_absent(&error, &target.name) => Ok(None),
                read => read.map(Some),
            }
        };
        let read = self.answered(read.boxed()).await.map_err(|error| explain(error, GET, target, None))?;
        read.map(|Object(object)| of_target(object, target)).transpose()
    }

    /// Reads the object if its labels match; `None`: it is not there, or they do not.
    pub(crate) async fn find(&self, target: &Target, selector: &str) -> Result<Option<DynamicObject>, ApiError> {
        let params = ListParams::default().labels(selector).fields(&format!("metadata.name={}", target.name));
        let found = self.listed(target, params).await?;
        Ok(found.items.into_iter().next().map(|Object(object)| object))
    }

    /// Reads all objects of the target's kind and namespace, those that match the selector.
    pub(crate) async fn list(&self, target: &Target, selector: Option<&str>) -> Result<Vec<DynamicObject>, ApiError> {
        let params = selector.iter().fold(ListParams::default(), |params, selector| params.labels(selector));
        let found = self.listed(target, params).await?;
        Ok(found.items.into_iter().map(|Object(object)| object).collect())
    }

    async fn listed(&self, target: &Target, params: ListParams) -> Result<ObjectList<Object>, ApiError> {
        let found = self.answered(self.api(target).list(&params).boxed()).await;
        found.map_err(|error| explain(error, LIST, target, None))
    }

    /// Server-side apply, taking over fields from others.
    pub(crate) async fn apply(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PatchParams::apply(&self.manager).force();
        let applied =
            self.object(target, self.api(target).patch(&target.name, &params, &Patch::Apply(object)).boxed()).await;
        applied.map_err(|error| explain(error, APPLY, target, None))
    }

    /// Server-side apply of the status, taking over fields from others.
    pub(crate) async fn apply_status(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PatchParams::apply(&self.manager).force();
        let api = self.api(target);
        let applied = self.object(target, api.patch_status(&target.name, &params, &Patch::Apply(object)).boxed()).await;
        applied.map_err(|error| explain(error, PATCH, target, Some("status")))
    }

    /// JSON patch of the object, or of its subresource.
    pub(crate) async fn json_patch(
        &self,
        target: &Target,
        subresource: Option<&str>,
        operations: &Value,
    ) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PatchParams { field_manager: Some(self.manager.to_string()), ..PatchParams::default() };
        // Kube's own JSON patch needs one more crate.
        let (request, nothing) = (Request::new(self.api(target).resource_url()), Patch::Merge(&Value::Null));
        let request = match subresource {
            Some(subresource) => request.patch_subresource(subresource, &target.name, &params, &nothing),
            None => request.patch(&target.name, &params, &nothing),
        };
        let mut request = request.map_err(|error| ApiError::Failed(error.to_string()))?;
        *request.body_mut() = as_go_writes(operations).into_bytes();
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json-patch+json"));
        let patched = self.object(target, self.client.request(request).boxed()).await;
        patched.map_err(|error| explain(error, PATCH, target, subresource))
    }

    /// Merge patch of the object's metadata.
    pub(crate) async fn merge(&self, target: &Target, patch: &Value) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PatchParams { field_manager: Some(self.manager.to_string()), ..PatchParams::default() };
        let merged =
            self.object(target, self.api(target).patch(&target.name, &params, &Patch::Merge(patch)).boxed()).await;
        merged.map_err(|error| explain(error, PATCH, target, None))
    }

    /// Creates the object; one of its name is a conflict.
    pub(crate) async fn create(&self, target: &Target, object: &Value) -> Result<DynamicObject, ApiError> {
        self.may_write()?;
        let params = PostParams { field_manager: Some(self.manager.to_string()), ..PostParams::default() };
        let request = Request::new(self.api(target).resource_url()).create(&params, object.to_string().into_bytes());
        let request = request.map_err(|error| ApiError::Failed(error.to_string()))?;
        match self.object(target, self.client.request(request).boxed()).await {
            Err(ApiError::Failed(text)) if text.ends_with("already exists") => Err(ApiError::Conflict(text)),
            answer => answer.map_err(|error| explain(error, CREATE, target, None)),
        }
    }

    /// Deletes just this version of the object; another one is a conflict, and one that is not there is fine.
    pub(crate) async fn delete(&self, target: &Target, uid: &str, version: &str) -> Result<(), ApiError> {
        self.may_write()?;
        let preconditions = Preconditions { uid: Some(uid.to_owned()), resource_version: Some(version.to_owned()) };
        let params = DeleteParams::background().preconditions(preconditions);
        match self.answered(self.api(target).delete(&target.name, &params).boxed()).await {
            Ok(deleted) => match deleted.left() {
                Some(Object(object)) => of_target(object, target).map(drop),
                // A status.
                None => Ok(()),
            },
            Err(missing) if missing.is_404() => match self.get(target).await? {
                Some(_) => Err(missing),
                None => Ok(()),
            },
            Err(error) => Err(explain(error, DELETE, target, None)),
        }
    }

    async fn object(&self, target: &Target, call: Call<'_, Object>) -> Result<DynamicObject, ApiError> {
        let Object(object) = self.answered(call).await?;
        of_target(object, target)
    }

    async fn answered<T>(&self, call: Call<'_, T>) -> Result<T, ApiError> {
        answered(keeping(self.whole, call)).await
    }

    fn may_write(&self) -> Result<(), ApiError> {
        if self.permit.is_valid() {
            return Ok(());
        }
        Err(ApiError::Failed("the gate closed during the pass: another replica may be at work".into()))
    }
}

/// The object that was asked for. What a proxy answers may be any JSON: it shows neither that the object was read nor that it was written.
fn of_target(object: DynamicObject, target: &Target) -> Result<DynamicObject, ApiError> {
    match object.metadata.name.as_deref() == Some(&*target.name) {
        true => Ok(object),
        false => Err(ApiError::Failed(format!("the answer of the API server is not the object {}", target.name))),
    }
}

/// The error of a call on the target, with the rule that its role lacks where that is the cause.
fn explain(error: ApiError, verbs: &[&str], target: &Target, subresource: Option<&str>) -> ApiError {
    let (resource, namespace) = (&target.kind.resource, target.namespace.as_deref());
    Grant { verbs, resource, subresource, namespace }.explain(error)
}

/// JSON as Go writes it. The API server compares the texts of a `test` as they are sent, and its own has these characters escaped. They are
/// found within strings only.
fn as_go_writes(value: &Value) -> String {
    let text = value.to_string();
    let escaped = ['<', '>', '&', '\u{2028}', '\u{2029}'];
    escaped.iter().fold(text, |text, char| text.replace(*char, &format!("\\u{:04x}", u32::from(*char))))
}

/// Bounds a call: a server that says nothing must not hold an object for ever.
pub(crate) async fn answered<T>(call: impl Future<Output = Result<T, Error>>) -> Result<T, ApiError> {
    match tokio::time::timeout(ANSWER, call).await {
        Ok(answer) => answer.map_err(classify),
        Err(_) => Err(ApiError::Failed(format!("no answer from the API server within {ANSWER:?}"))),
    }
}

/// Whether the error is the answer to a read of an object that is not there. Servers that do not serve its kind (yet), and proxies, answer
/// 404, too, and do not name it.
fn is_absent(error: &Error, name: &str) -> bool {
    matches!(error, Error::Api(status) if status.code == 404 && status.reason == "NotFound" && named(status) == Some(name))
}

/// The object that the answer is about.
fn named(status: &Status) -> Option<&str> {
    status.details.as_ref().map(|details| &*details.name).filter(|name| !name.is_empty())
}

impl ApiError {
    /// Whether the answer was 404, whatever is missing.
    pub(crate) const fn is_404(&self) -> bool {
        matches!(self, Self::NotFound(_) | Self::NotServed(_))
    }
}

/// Classes an error of the client.
fn classify(error: Error) -> ApiError {
    let Error::Api(status) = error else {
        return ApiError::Failed(format!("no answer from the API server: {}", chain(&error)));
    };
    let text = if status.message.is_empty() { status.reason.clone() } else { status.message.clone() };
    match (status.code, status.reason.as_str()) {
        (409, "AlreadyExists") => ApiError::Failed(text),
        (409, _) => ApiError::Conflict(text),
        (404, "NotFound") if named(&status).is_some() => ApiError::NotFound(text),
        (404, _) => ApiError::NotServed(text),
        (401, _) => ApiError::Failed(format!("the API server refuses the credentials: {text}; {CREDENTIALS}")),
        (403, _) => ApiError::Forbidden(text),
        (400 | 422, _) => ApiError::Invalid(text),
        (429 | 503, _) => {
            let seconds = status.details.as_ref().map_or(0, |details| details.retry_after_seconds);
            ApiError::Busy((seconds > 0).then(|| Duration::from_secs(u64::from(seconds))), text)
        }
        (code, _) => ApiError::Failed(format!("{code}: {text}")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pass::api::scripted::{Script, absent, error, object, target};

    #[tokio::test]
    async fn a_deleted_object_is_read_only_after_a_404_and_an_answer_about_another_one_counts_for_nothing() {
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
    async fn nothing_is_written_once_the_gate_has_closed() {
        let script = Script::new([]);
        script.gate.close();
        let (calls, target, nothing) = (&script.calls, &target(), &json!({}));
        assert!(calls.apply(target, nothing).await.is_err());
        assert!(calls.apply_status(target, nothing).await.is_err());
        assert!(calls.json_patch(target, None, nothing).await.is_err());
        assert!(calls.merge(target, nothing).await.is_err());
        assert!(calls.create(target, nothing).await.is_err());
        assert!(calls.delete(target, "u", "1").await.is_err());
        assert!(script.asked().is_empty());
    }

    #[tokio::test]
    async fn only_an_object_of_its_name_makes_a_create_a_conflict() {
        let created = |answer| async move { Script::new([answer]).calls.create(&target(), &json!({})).await };
        assert!(matches!(created(error(409, "AlreadyExists", "x already exists")).await, Err(ApiError::Conflict(_))));
        assert!(matches!(created(error(500, "InternalError", "etcd")).await, Err(ApiError::Failed(_))));
        assert!(created(object("1", &json!({}))).await.is_ok());
    }

    fn status(code: u16, reason: &str, name: &str) -> Status {
        let text = "the text";
        serde_json::from_value(json!({ "code": code, "reason": reason, "message": text, "details": { "name": name } }))
            .unwrap()
    }

    fn class(code: u16, reason: &str, name: &str) -> ApiError {
        classify(Error::Api(status(code, reason, name).boxed()))
    }

    #[test]
    fn only_a_404_that_names_an_object_is_about_an_object() {
        assert!(matches!(class(404, "NotFound", "w"), ApiError::NotFound(_)));
        assert!(matches!(class(404, "NotFound", ""), ApiError::NotServed(_)));
        assert!(matches!(class(404, "", "w"), ApiError::NotServed(_)));
        assert_eq!((named(&status(404, "NotFound", "w")), named(&status(404, "NotFound", ""))), (Some("w"), None));
        assert_eq!(named(&Status::default()), None);
        let absent = |name| is_absent(&Error::Api(status(404, "NotFound", "w").boxed()), name);
        assert_eq!((absent("w"), absent("v")), (true, false));
        assert!(!is_absent(&Error::Api(status(410, "NotFound", "w").boxed()), "w"));
        assert!(!is_absent(&Error::Api(status(404, "Gone", "w").boxed()), "w"));
        assert!(
            class(404, "NotFound", "w").is_404() && class(404, "", "").is_404() && !class(410, "Gone", "w").is_404()
        );
    }

    #[test]
    fn an_answer_is_classed_by_what_can_be_done_about_it() {
        assert!(matches!(class(409, "AlreadyExists", "w"), ApiError::Failed(text) if text == "the text"));
        assert!(matches!(class(409, "Conflict", "w"), ApiError::Conflict(text) if text == "the text"));
        assert!(matches!(class(401, "Unauthorized", ""), ApiError::Failed(text) if text.contains("credentials")));
        assert!(matches!(class(403, "Forbidden", ""), ApiError::Forbidden(_)));
        for code in [400, 422] {
            assert!(matches!(class(code, "Invalid", "w"), ApiError::Invalid(_)));
        }
        assert!(matches!(class(500, "InternalError", ""), ApiError::Failed(text) if text == "500: the text"));
        let silent = Status { message: String::new(), ..status(403, "Forbidden", "") };
        assert!(matches!(classify(Error::Api(silent.boxed())), ApiError::Forbidden(text) if text == "Forbidden"));
    }

    #[test]
    fn a_busy_server_says_when_to_come_back_or_does_not() {
        for code in [429, 503] {
            for (seconds, after) in [(0, None), (1, Some(Duration::from_secs(1))), (7, Some(Duration::from_secs(7)))] {
                let mut busy = status(code, "TooManyRequests", "");
                busy.details.as_mut().unwrap().retry_after_seconds = seconds;
                assert!(matches!(classify(Error::Api(busy.boxed())), ApiError::Busy(asked, _) if asked == after));
            }
        }
    }

    #[tokio::test]
    async fn every_write_names_its_field_manager() {
        let script = Script::new((0..5).map(|version| object(&version.to_string(), &json!({}))));
        let (calls, target, nothing) = (&script.calls, &target(), &json!({}));
        calls.apply(target, nothing).await.unwrap();
        calls.apply_status(target, nothing).await.unwrap();
        calls.json_patch(target, None, nothing).await.unwrap();
        calls.merge(target, nothing).await.unwrap();
        calls.create(target, nothing).await.unwrap();
        let queries = script.queries();
        assert_eq!(queries.len(), 5);
        assert!(queries.iter().all(|query| query.contains("fieldManager=tester")), "{queries:?}");
    }

    #[tokio::test]
    async fn an_object_is_absent_only_where_the_answer_names_it() {
        let read = |answer| async move { Script::new([answer]).calls.get(&target()).await };
        assert!(matches!(read(absent()).await, Ok(None)));
        let unknown = json!({ "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "code": 404,
            "reason": "NotFound", "message": "the server could not find the requested resource" });
        assert!(matches!(read((404, unknown)).await, Err(ApiError::NotServed(_))));
        assert!(matches!(read(error(500, "InternalError", "no")).await, Err(ApiError::Failed(_))));
    }

    #[test]
    fn a_patch_has_the_characters_escaped_that_go_escapes() {
        let patch = json!([{ "op": "test", "value": "<b> & \u{2028}\u{2029} \"ü\"" }]);
        let text = as_go_writes(&patch);
        assert_eq!(text, r#"[{"op":"test","value":"\u003cb\u003e \u0026 \u2028\u2029 \"ü\""}]"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), patch);
    }
}
