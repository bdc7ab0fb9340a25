//! Creates the objects of a seed by requests to the server, so that its rules apply to them.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::BodyExt;
use serde_json::{Value, json};

use super::document::Document;
use super::{SeedError, uid};
use crate::registry::{Kind, split};
use crate::request_context::Uid;
use crate::server::answered;
use crate::state::Server;
use crate::store::Key;
use crate::strategy::{finalizers, is_deleting, meta, metadata};

/// The field manager of seeds.
const MANAGER: &str = "seed";

/// Metadata that only the server writes. A given uid is passed along with the request.
const SYSTEM: [&str; 6] =
    ["uid", "resourceVersion", "generation", "managedFields", "deletionTimestamp", "deletionGracePeriodSeconds"];

/// Creates all objects. With a status manager, it applies their statuses with that field manager.
pub(super) async fn plant(
    server: &Arc<Server>,
    mut documents: Vec<Document>,
    status_manager: Option<String>,
) -> Result<(), SeedError> {
    documents.sort_by_key(Document::rank);
    let mut planter = Planter { server, status_manager, owners: HashMap::new() };
    for document in documents {
        match document.times {
            Some(times) => planter.crowd(document, times).await?,
            None => drop(planter.plant(document).await?),
        }
    }
    Ok(())
}

pub(super) struct Planter<'a> {
    pub(super) server: &'a Arc<Server>,
    status_manager: Option<String>,
    /// The uids that the server assigned, by the uid in the seed and by kind and name.
    owners: HashMap<String, String>,
}

/// A document whose kind and path are known.
pub(super) struct Planted {
    pub(super) document: Document,
    pub(super) title: String,
    pub(super) kind: Arc<Kind>,
    pub(super) path: String,
    /// Its key in the store.
    pub(super) key: Key,
}

impl Planted {
    pub(super) fn refused(&self, why: impl Into<String>) -> SeedError {
        SeedError::about(self.document.number, &self.title, why)
    }
}

impl Planter<'_> {
    pub(super) async fn plant(&mut self, document: Document) -> Result<Planted, SeedError> {
        let mut planted = self.place(document).await?;
        let object = &planted.document.object;
        if is_deleting(object) && finalizers(object).is_empty() {
            return Err(planted.refused("metadata.deletionTimestamp: without a finalizer it would be gone at once"));
        }
        let created = self.create(&planted).await?;
        meta(&created, "namespace").clone_into(&mut planted.key.0);
        meta(&created, "name").clone_into(&mut planted.key.1);
        let path = format!("{}/{}", planted.path, planted.key.1);
        if planted.kind.status && !object["status"].is_null() {
            self.status(&planted, &path, created).await?;
        }
        if is_deleting(object) {
            self.send(&planted, Method::DELETE, &path, &json!({})).await?;
        }
        Ok(planted)
    }

    /// Finds the kind of a document, and creates its namespace.
    async fn place(&self, document: Document) -> Result<Planted, SeedError> {
        let text = |field: &str| document.object[field].as_str().filter(|text| !text.is_empty());
        let missing =
            |field: &str| SeedError::about(document.number, &document.title(None), format!("{field}: missing"));
        let api_version = text("apiVersion").ok_or_else(|| missing("apiVersion"))?;
        let name = text("kind").ok_or_else(|| missing("kind"))?;
        let (group, version) = split(api_version);
        let kind = self.server.catalog().registry.by_gvk(group, version, name);
        let kind = kind.ok_or_else(|| {
            let why = format!("kind: {api_version} {name} is not served; seed its definition, too");
            SeedError::about(document.number, &document.title(None), why)
        })?;
        let namespace = kind.namespaced.then(|| match meta(&document.object, "namespace") {
            "" => "default",
            namespace => namespace,
        });
        let title = document.title(namespace);
        let root = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
        let path = match namespace {
            Some(namespace) => {
                self.namespace(namespace).await;
                format!("{root}/namespaces/{namespace}/{}", kind.plural)
            }
            None => format!("{root}/{}", kind.plural),
        };
        Ok(Planted { title, kind, path, document, key: Key::default() })
    }

    /// Creates a namespace. It ignores errors: the creation of the object in it fails, too.
    async fn namespace(&self, name: &str) {
        let body = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        request(self.server, Method::POST, "/api/v1/namespaces", &body, None).await;
    }

    async fn create(&mut self, planted: &Planted) -> Result<Value, SeedError> {
        let mut object = planted.document.object.clone();
        for field in SYSTEM {
            metadata(&mut object).remove(field);
        }
        if planted.kind.namespaced {
            // The namespace is in the path. It is `default` for an object without a namespace.
            metadata(&mut object).remove("namespace");
        }
        self.adopt(planted, &mut object)?;
        let uid = uid::given(&self.server.store, &planted.document.object).map_err(|why| planted.refused(why))?;
        let created = self.sent(planted, Method::POST, &planted.path, (&object, uid)).await?;
        let uid = meta(&created, "uid").to_owned();
        self.owners.insert(owner_key(planted.document.object["kind"].as_str(), meta(&created, "name")), uid.clone());
        self.owners.insert(meta(&planted.document.object, "uid").to_owned(), uid);
        Ok(created)
    }

    /// Sets the uids in owner references to those that the server assigned.
    fn adopt(&self, planted: &Planted, object: &mut Value) -> Result<(), SeedError> {
        let Some(references) = object["metadata"]["ownerReferences"].as_array_mut() else { return Ok(()) };
        for (at, reference) in references.iter_mut().enumerate() {
            let given = reference["uid"].as_str().filter(|uid| !uid.is_empty());
            let key = owner_key(reference["kind"].as_str(), reference["name"].as_str().unwrap_or_default());
            let known = self.owners.get(given.unwrap_or(&key)).cloned();
            match (known, given) {
                (Some(uid), _) => reference["uid"] = json!(uid),
                // A test may need a reference to an owner that no longer exists.
                (None, Some(_)) => {}
                (None, None) => {
                    let why =
                        format!("metadata.ownerReferences[{at}]: no {key} before it; give it a uid, or seed it first");
                    return Err(planted.refused(why));
                }
            }
        }
        Ok(())
    }

    async fn status(&self, planted: &Planted, path: &str, mut created: Value) -> Result<(), SeedError> {
        let (object, path) = (&planted.document.object, format!("{path}/status"));
        if let Some(manager) = &self.status_manager {
            let applied = json!({
                "apiVersion": object["apiVersion"], "kind": object["kind"],
                "metadata": {"name": created["metadata"]["name"]}, "status": object["status"],
            });
            let path = format!("{path}?fieldManager={}&force=true", manager.replace('/', "%2F"));
            return self.send(planted, Method::PATCH, &path, &applied).await.map(drop);
        }
        created["status"] = object["status"].clone();
        self.send(planted, Method::PUT, &path, &created).await.map(drop)
    }

    async fn send(&self, planted: &Planted, method: Method, path: &str, body: &Value) -> Result<Value, SeedError> {
        self.sent(planted, method, path, (body, None)).await
    }

    /// Sends an object, with the uid that it must get.
    async fn sent(
        &self,
        planted: &Planted,
        method: Method,
        path: &str,
        (body, uid): (&Value, Option<Uid>),
    ) -> Result<Value, SeedError> {
        let (code, answer) = request(self.server, method, path, body, uid).await;
        if code < 400 {
            return Ok(answer);
        }
        let message = answer["message"].as_str().filter(|message| !message.is_empty());
        Err(planted.refused(message.map_or_else(|| format!("the server says {code}"), ToOwned::to_owned)))
    }
}

/// Returns the key of an owner, such as `Widget "w"`.
fn owner_key(kind: Option<&str>, name: &str) -> String {
    format!("{} {name:?}", kind.unwrap_or_default())
}

/// Sends a request to the server that is not logged and to which fault rules do not apply.
async fn request(server: &Arc<Server>, method: Method, path: &str, body: &Value, uid: Option<Uid>) -> (u16, Value) {
    let content_type = if method == Method::PATCH { "application/apply-patch+yaml" } else { "application/json" };
    let mut uri = path.to_owned();
    if method != Method::DELETE {
        uri.push(if uri.contains('?') { '&' } else { '?' });
        uri.push_str("fieldValidation=Strict");
        if !uri.contains("fieldManager=") {
            uri.push_str(&format!("&fieldManager={MANAGER}"));
        }
    }
    let mut request = Request::builder().method(method).uri(uri).header(http::header::CONTENT_TYPE, content_type);
    if let Some(uid) = uid {
        request = request.extension(uid);
    }
    let Ok(request) = request.body(Bytes::from(body.to_string())) else {
        return (400, json!({"message": "metadata.name: it does not fit into a path"}));
    };
    let response = answered(server, request).await;
    let code = response.status().as_u16();
    let bytes = response.into_body().collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}
