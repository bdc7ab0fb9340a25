//! Finds objects of others that a deletion would delete, too, and creates missing namespaces.

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt, stream};
use kube::core::{DynamicObject, ObjectMeta};
use serde_json::json;

use super::discovery::{distinct, kinds_of, of_version, versions};
use super::spared::{is_spared_kind, is_spared_object};
use crate::api::{ApiError, OtherObjects, Target, Types, marked};
use crate::dependent_rules::manifest::ObjectId;
use crate::pass::api::PassBackend;
use crate::pass::api::calls::Calls;
use crate::wiring::KindInfo;
use crate::wiring::annotations::{DEPENDENT_OF, NAMESPACE_FOR};

/// The most objects that a message names, and so the most that are listed.
const EXAMPLES: u32 = 3;

/// The most lists at the same time.
const CONCURRENCY: usize = 8;

fn id(kind: &KindInfo, meta: ObjectMeta) -> ObjectId {
    let (group, kind) = (kind.resource.group.clone(), kind.resource.kind.clone());
    ObjectId { group, kind, namespace: meta.namespace, name: meta.name.unwrap_or_default() }
}

impl PassBackend {
    /// The first objects of a kind that have none of these marks. The label alone may be a copy.
    async fn unmarked(&self, calls: &Calls, kind: &KindInfo, marks: &[String]) -> Result<Vec<ObjectId>, ApiError> {
        let (label, marks_text) = (self.owner().key(DEPENDENT_OF), marks.join(","));
        let selector = if marks.is_empty() { String::new() } else { format!("{label} notin ({marks_text})") };
        let mut found = calls.list_metadata(kind, None, &selector, Some(EXAMPLES)).await?;
        if found.is_empty() && !marks.is_empty() {
            let selector = format!("{label} in ({marks_text})");
            let is_copy = |object: &DynamicObject| {
                marked(kind, &object.metadata).is_none_or(|owner| !marks.contains(&owner.id()))
            };
            let labelled = calls.list_metadata(kind, None, &selector, None).await?;
            found.extend(labelled.into_iter().filter(is_copy).take(EXAMPLES as usize));
        }
        Ok(found.into_iter().map(|object| id(kind, object.metadata)).collect())
    }

    /// What a namespace has of one kind.
    async fn content_of_kind(&self, calls: &Calls, kind: &KindInfo, namespace: &str) -> Vec<String> {
        match calls.list_metadata(kind, Some(namespace), "", None).await {
            Ok(objects) => {
                let others = objects.into_iter().filter(|object| !is_spared_object(kind, &object.metadata));
                others.map(|object| id(kind, object.metadata).to_string()).collect()
            }
            Err(error) if error.is_404() => Vec::new(),
            Err(error) => vec![format!("{} could not be listed ({error})", kind.resource.plural)],
        }
    }
}

impl OtherObjects for PassBackend {
    fn instances<'a>(
        &'a self,
        step: &'a str,
        types: Types<'a>,
        except: &'a [String],
    ) -> BoxFuture<'a, Result<Vec<ObjectId>, ApiError>> {
        async move {
            let marks: Vec<String> = except.iter().map(|set| self.owner_of(set).id()).collect();
            let (calls, mut found) = (self.reads_of(step), Vec::new());
            for kind in kinds_of(&calls.discovery(), types).await? {
                found.extend(self.unmarked(&calls, &kind, &marks).await?);
            }
            Ok(found)
        }
        .boxed()
    }

    fn content<'a>(&'a self, step: &'a str, namespace: &'a str) -> BoxFuture<'a, Result<Vec<String>, ApiError>> {
        async move {
            let calls = self.reads_of(step);
            let client = calls.discovery();
            let (mut kinds, mut found) = (Vec::new(), Vec::new());
            for version in versions(&client).await? {
                match of_version(&client, &version).await {
                    Ok(of_version) => kinds.extend(of_version),
                    Err(error) => found.push(format!("{} does not answer ({error})", version.api_version())),
                }
            }
            let kinds = distinct(kinds).into_iter().filter(|kind| kind.namespaced && !is_spared_kind(kind));
            let kinds: Vec<KindInfo> = kinds.collect();
            let lists = kinds.iter().map(|kind| self.content_of_kind(&calls, kind, namespace).boxed());
            let lists: Vec<Vec<String>> = stream::iter(lists.collect::<Vec<_>>()).buffered(CONCURRENCY).collect().await;
            found.extend(lists.into_iter().flatten());
            Ok(found)
        }
        .boxed()
    }

    fn create_namespace<'a>(&'a self, step: &'a str, name: &'a str) -> BoxFuture<'a, Result<bool, ApiError>> {
        async move {
            let kind = KindInfo::of::<k8s_openapi::api::core::v1::Namespace>();
            let target = Target { kind, namespace: None, name: name.to_owned() };
            let component = self.identity.target.to_string();
            let namespace = json!({ "apiVersion": "v1", "kind": "Namespace",
                "metadata": { "name": name, "annotations": { self.owner().key(NAMESPACE_FOR): component } } });
            match self.set_calls(step).create(&target, &namespace).await {
                Ok(_) => Ok(true),
                Err(ApiError::Conflict(_)) => Ok(false),
                Err(error) => Err(error),
            }
        }
        .boxed()
    }
}
