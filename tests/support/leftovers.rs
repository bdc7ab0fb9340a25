//! What a test leaves on a real server, and its removal.

use std::sync::{Mutex, PoisonError};

use k8s_openapi::api::core::v1::Namespace;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, ApiResource, DeleteParams, DynamicObject, ListParams, Patch, PatchParams};
use kube::{Client, ResourceExt};
use serde_json::json;

/// The namespaces and kinds of one test.
#[derive(Default)]
pub(crate) struct Leftovers {
    namespaces: Mutex<Vec<String>>,
    kinds: Mutex<Vec<ApiResource>>,
}

impl Leftovers {
    /// Records a namespace that the test created.
    pub(crate) fn add_namespace(&self, name: &str) {
        lock(&self.namespaces).push(name.to_owned());
    }

    /// Records a kind that the test installed.
    pub(crate) fn add_kind(&self, crd: &CustomResourceDefinition) {
        let served = crd.spec.versions.iter().find(|version| version.served);
        if let Some(version) = served.filter(|_| crd.spec.scope == "Namespaced") {
            let (group, names) = (&crd.spec.group, &crd.spec.names);
            lock(&self.kinds).push(ApiResource {
                group: group.clone(),
                version: version.name.clone(),
                api_version: format!("{group}/{}", version.name),
                kind: names.kind.clone(),
                plural: names.plural.clone(),
            });
        }
    }

    /// Deletes the namespaces and their objects. Errors are ignored, since the real servers start empty in each run.
    ///
    /// The operators of the test have ended, so this function removes the finalizers of the objects. Otherwise the namespaces would stay, and
    /// the namespace controller would retry each of them until the end of the run, with about 70 requests for each attempt.
    pub(crate) async fn remove(&self, client: &Client) {
        let (kinds, namespaces) = (lock(&self.kinds).clone(), lock(&self.namespaces).clone());
        for namespace in namespaces {
            for kind in &kinds {
                release(&Api::namespaced_with(client.clone(), &namespace, kind)).await;
            }
            let _ = Api::<Namespace>::all(client.clone()).delete(&namespace, &DeleteParams::background()).await;
        }
    }
}

/// Deletes all objects of a kind, then removes the finalizers of the rest.
async fn release(objects: &Api<DynamicObject>) {
    let _ = objects.delete_collection(&DeleteParams::background(), &ListParams::default()).await;
    for object in objects.list(&ListParams::default()).await.into_iter().flatten() {
        let free = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
        let _ = objects.patch(&object.name_any(), &PatchParams::default(), &free).await;
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
