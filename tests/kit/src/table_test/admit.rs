//! Rows that send one write through the rules and webhooks of an operator.

use evenkeel::Operator;
use evenkeel::admission::{WebhookConfigurations, WebhookTarget};
use http::Response;
use http_body_util::BodyExt;
use kube::Client;
use kube::api::{Api, DeleteParams, DynamicObject, PostParams};
use kube::client::Body;
use kube::core::{Request, TypeMeta};
use kube::discovery::{Scope, pinned_kind};
use serde_json::{Map, Value, json};

use super::Row;
use super::seen::{Answer, Outcome, Seen};
use crate::diff::diff;
use crate::seed::Seed;

/// The Service of the webhooks. Objects of other kinds in its namespace are not reviewed.
const SERVICE: (&str, &str) = ("evenkeel-webhooks", "webhooks");
/// What the API server sets itself.
const SET_BY_SERVER: [&str; 5] = ["creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"];

/// A write of an object.
#[derive(Clone, Copy)]
enum Write {
    Store,
    Delete,
}

impl Row {
    /// Creates or updates an object, with the operator's CRDs, policies and webhook configurations installed. The operator itself does not run.
    ///
    /// It is an update if an object with its name is given. The result has these sections:
    ///
    /// - `denied`: the field and message of each cause, or one text if the refusal has no causes
    /// - `warnings`: the warnings in their order
    /// - `object`: the stored object; only the expected fields are compared
    ///
    /// The outcome is `Allowed` or `Denied`, and otherwise the status code with the message: a review that failed is no refusal.
    ///
    /// `#[mutate]` functions also review their own result, in a dry run, unless the row has faults.
    ///
    /// ```
    /// # use evenkeel::prelude::*;
    /// # use evenkeel_testkit::Row;
    /// # use kube::{CustomResource, KubeSchema};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
    /// # #[kube(group = "ex.dev", version = "v1", kind = "Site", namespaced, status = "SiteStatus")]
    /// # pub struct SiteSpec { host: String }
    /// # #[status]
    /// # pub struct SiteStatus {}
    /// # #[derive(ConditionSet)]
    /// # #[condition_set(mod = on)]
    /// # pub enum SiteCondition {
    /// #     /// The site is served.
    /// #     #[condition(positive)] Served,
    /// # }
    /// # #[sub_reconciler(sets(on::Served))]
    /// # async fn serve(_: &Site, _cx: &mut Cx) -> Result<(), std::convert::Infallible> { Ok(()) }
    /// # #[reconciler(conditions = SiteCondition)]
    /// # async fn site(site: &Site, cx: &mut Pass<'_>) -> PassResult {
    /// #     serve(site, cx).await?;
    /// #     Ok(())
    /// # }
    /// #[validate]
    /// fn host_is_set(site: &Site, cx: &mut Review) -> Result<(), Denial> {
    ///     if site.spec.host.is_empty() {
    ///         cx.deny(field!(spec.host), "name a host");
    ///     }
    ///     Ok(())
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)]
    /// # async fn main() {
    /// let operator = Operator::new("sites").reconciler::<site>(()).admission::<host_is_set>(());
    /// Row::new("a site without a host is denied")
    ///     .admit(operator, "{apiVersion: ex.dev/v1, kind: Site, metadata: {name: a}, spec: {host: ''}}")
    ///     .await
    ///     .expect("denied: {spec.host: name a host}");
    /// # }
    /// ```
    ///
    /// # Panics
    /// Panics if the objects cannot be stored, if there is not exactly one object to write, if the operator would not start, or if its
    /// `#[mutate]` functions change their own result.
    pub async fn admit(self, operator: Operator, object: impl Into<Seed>) -> Seen {
        self.send(operator, object.into(), Write::Store).await
    }

    /// Deletes an object, which is one of the given ones. The result is that of [`admit`](Row::admit).
    ///
    /// # Panics
    /// Panics as [`admit`](Row::admit) does.
    pub async fn admit_deletion(self, operator: Operator, object: impl Into<Seed>) -> Seen {
        self.send(operator, object.into(), Write::Delete).await
    }

    async fn send(mut self, operator: Operator, object: Seed, write: Write) -> Seen {
        let name = self.name.clone();
        let object = match object.objects().collect::<Vec<_>>()[..] {
            [object] => object.clone(),
            ref several => panic!("{name}: one object is written, and {} are given", several.len()),
        };
        for definition in operator.definitions() {
            self.seed = self.seed.and(&definition);
        }
        let has_faults = !self.faults.is_empty();
        let (_, cluster) = self.start().await;
        let operator = operator.client(cluster.client());
        let failed = |error: evenkeel::Error| -> Seed { panic!("{name}: {error}") };
        let configurations = configurations(&operator).unwrap_or_else(failed);
        let planted = cluster.seed(configurations).await;
        planted.unwrap_or_else(|error| panic!("{name}: {error}"));
        if let Ok(service) = operator.admission_service() {
            cluster.webhook_service(SERVICE.0, SERVICE.1, service);
        }
        let sender = Sender::new(cluster.client(), object).await.unwrap_or_else(|why| panic!("{name}: {why}"));
        if !has_faults && matches!(write, Write::Store) {
            sender.check_repeated(&name).await;
        }
        let (code, warnings, body) = sender.send(write, &sender.object, false).await;
        let (outcome, answer) = answer(code, warnings, body);
        Seen::of(name, &cluster, outcome).answered(answer)
    }
}

/// The policies and webhook configurations of the operator.
fn configurations(operator: &Operator) -> evenkeel::Result<Seed> {
    let target = WebhookTarget::service(SERVICE.0, SERVICE.1);
    let WebhookConfigurations { validating, mutating, .. } = operator.webhook_configurations(&target)?;
    let policies =
        operator.admission_policies().iter().fold(Seed::default(), |seed, one| seed.and(&one.policy).and(&one.binding));
    let validating = validating.iter().fold(policies, Seed::and);
    Ok(mutating.iter().fold(validating, Seed::and))
}

/// Sends writes of one object.
struct Sender {
    client: Client,
    api: Api<DynamicObject>,
    object: DynamicObject,
    exists: bool,
}

impl Sender {
    async fn new(client: Client, object: Value) -> Result<Self, String> {
        let mut object: DynamicObject = serde_json::from_value(object).map_err(|error| error.to_string())?;
        let kind = object.types.clone().unwrap_or_else(|| TypeMeta { api_version: "v1".into(), kind: String::new() });
        let kind = kind.try_into().map_err(|error| format!("the apiVersion cannot be read: {error}"))?;
        let (resource, capabilities) = pinned_kind(&client, &kind).await.map_err(|error| error.to_string())?;
        let api: Api<DynamicObject> = match (capabilities.scope, &object.metadata.namespace) {
            (Scope::Cluster, _) => Api::all_with(client.clone(), &resource),
            (Scope::Namespaced, Some(namespace)) => Api::namespaced_with(client.clone(), namespace, &resource),
            (Scope::Namespaced, None) => Api::default_namespaced_with(client.clone(), &resource),
        };
        let name = object.metadata.name.as_deref().ok_or("the object has no name")?;
        let stored = api.get_opt(name).await.map_err(|error| error.to_string())?;
        if let Some(stored) = &stored {
            object.metadata.resource_version.clone_from(&stored.metadata.resource_version);
        }
        Ok(Self { exists: stored.is_some(), client, api, object })
    }

    /// Sends the write. Returns the status code, the warnings and the body.
    async fn send(&self, write: Write, object: &DynamicObject, dry_run: bool) -> (u16, Vec<String>, Value) {
        let (request, params) = (Request::new(self.api.resource_url()), PostParams { dry_run, field_manager: None });
        let name = object.metadata.name.as_deref().unwrap_or_default();
        let body = serde_json::to_vec(object).unwrap_or_default();
        let request = match (write, self.exists) {
            (Write::Delete, _) => request.delete(name, &DeleteParams::default()),
            (Write::Store, true) => request.replace(name, &params, body),
            (Write::Store, false) => request.create(&params, body),
        };
        let request = request.map_err(|error| error.to_string());
        let response = match request {
            Ok(request) => self.client.send(request.map(Body::from)).await.map_err(|error| error.to_string()),
            Err(error) => Err(error),
        };
        match response {
            Ok(response) => read(response).await,
            Err(error) => (0, Vec::new(), json!({ "message": error })),
        }
    }

    /// Stores the result of the write again, in a dry run: nothing may change.
    async fn check_repeated(&self, name: &str) {
        let (code, _, first) = self.send(Write::Store, &self.object, true).await;
        let Ok(mut again) = serde_json::from_value::<DynamicObject>(first.clone()) else { return };
        if code >= 300 {
            return;
        }
        again.metadata = without_server_fields(&first);
        again.metadata.resource_version.clone_from(&self.object.metadata.resource_version);
        let (code, _, second) = self.send(Write::Store, &again, true).await;
        let texts = [&first, &second].map(|object| {
            let mut object = object.clone();
            object["metadata"] = json!(without_server_fields(&object));
            serde_saphyr::to_string(&object).unwrap_or_default()
        });
        match diff(&texts[0], &texts[1]) {
            Some(_) if code >= 300 => panic!(
                "{name}: the result of the `#[mutate]` functions is refused when it is written again: {}",
                message(&second)
            ),
            Some(difference) => panic!(
                "{name}: the `#[mutate]` functions change their own result: - first, + second\n{difference}\nan API server may call them \
                 more than once: let each one leave alone what it has done"
            ),
            None => {}
        }
    }
}

/// The metadata without what the API server sets.
fn without_server_fields(object: &Value) -> kube::api::ObjectMeta {
    let mut metadata = object["metadata"].clone();
    if let Some(fields) = metadata.as_object_mut() {
        fields.retain(|name, _| !SET_BY_SERVER.contains(&name.as_str()));
    }
    serde_json::from_value(metadata).unwrap_or_default()
}

async fn read(response: Response<Body>) -> (u16, Vec<String>, Value) {
    let warnings = response.headers().get_all(http::header::WARNING).iter();
    let warnings = warnings.filter_map(|value| Some(warning(value.to_str().ok()?))).collect();
    let code = response.status().as_u16();
    let body = response.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    (code, warnings, serde_json::from_slice(&body).unwrap_or_default())
}

/// The text of a `Warning` header: `299 - "text"`.
fn warning(header: &str) -> String {
    let quoted = header.split_once('"').map_or(header, |(_, text)| text);
    quoted.strip_suffix('"').unwrap_or(quoted).replace("\\\"", "\"").replace("\\\\", "\\")
}

fn answer(code: u16, warnings: Vec<String>, body: Value) -> (Outcome, Answer) {
    let answer = Answer { warnings, ..Answer::default() };
    match code {
        200..300 => (Outcome::Success("Allowed".to_owned()), Answer { object: body, ..answer }),
        400 | 403 | 422 => (Outcome::Success("Denied".to_owned()), Answer { denied: denied(&body), ..answer }),
        _ => (Outcome::Failure(format!("{code}: {}", message(&body))), answer),
    }
}

fn message(status: &Value) -> &str {
    status["message"].as_str().unwrap_or_default()
}

/// The fields with their messages.
fn denied(status: &Value) -> Value {
    let mut fields: Map<String, Value> = Map::new();
    for cause in status["details"]["causes"].as_array().into_iter().flatten() {
        let text = |name: &str| cause[name].as_str().unwrap_or_default().to_owned();
        let (field, message) = (text("field"), text("message"));
        let known = fields.get(&field).and_then(Value::as_str).map(|known| format!("{known}; {message}"));
        fields.insert(field, json!(known.unwrap_or(message)));
    }
    if fields.is_empty() { json!(message(status)) } else { Value::Object(fields) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_read_without_its_quotes() {
        assert_eq!(warning(r#"299 - "say \"a\" or \\""#), r#"say "a" or \"#);
    }

    #[test]
    fn messages_of_one_field_are_joined() {
        let causes = json!([{ "field": "a", "message": "x" }, { "field": "b", "message": "y" }, { "field": "a", "message": "z" }]);
        let status = json!({ "details": { "causes": causes } });
        assert_eq!(denied(&status), json!({ "a": "x; z", "b": "y" }));
        assert_eq!(denied(&json!({ "message": "all" })), json!("all"));
    }
}
