//! The CRD before and after a migration: its storage version, and the versions in which objects may be stored.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{ApiResource, Patch, PatchParams};
use kube::{Api, Client};
use serde_json::json;

use crate::client::why;
use crate::operator::error::{Error, Reason, Result, install};

/// How often the status of a CRD is written again that was changed meanwhile.
const TRIES: u32 = 5;

/// What is installed.
pub(super) struct Installed {
    /// A version in which the objects can be read and written.
    pub(super) resource: ApiResource,
    pub(super) storage: String,
    pub(super) stored: Vec<String>,
    version: Option<String>,
}

/// Reads the CRD.
///
/// # Errors
/// It is not installed or cannot be read, or it serves no version.
pub(super) async fn read(client: &Client, name: &str) -> Result<Installed> {
    let found = Api::<CustomResourceDefinition>::all(client.clone()).get_opt(name).await;
    let definition = found
        .map_err(|error| failed(name, "read", &error))?
        .ok_or_else(|| Error::new(Reason::NotInstalled, format!("the CRD {name} is not installed"), install()))?;
    let (spec, version) = (definition.spec, definition.metadata.resource_version);
    let storage = spec.versions.iter().find(|version| version.storage).map(|version| version.name.clone());
    let storage = storage.unwrap_or_default();
    // A storage version need not be served.
    let mut served = spec.versions.iter().filter(|version| version.served).map(|version| &version.name);
    let first = served.clone().next();
    let Some(in_use) = served.find(|version| **version == storage).or(first) else {
        let help = "set `served: true` in one of its versions";
        return Err(Error::new(Reason::NotServed, format!("the CRD {name} serves no version"), help));
    };
    let resource = ApiResource {
        api_version: format!("{}/{in_use}", spec.group),
        group: spec.group,
        version: in_use.clone(),
        kind: spec.names.kind,
        plural: spec.names.plural,
    };
    let stored = definition.status.and_then(|status| status.stored_versions).unwrap_or_default();
    Ok(Installed { resource, storage, stored, version })
}

/// Removes all stored versions but this one from the status of the CRD, and returns what is there then.
///
/// # Errors
/// The storage version is another one by now, or the status cannot be written.
pub(super) async fn keep_only(client: &Client, name: &str, storage: &str) -> Result<Vec<String>> {
    let api = Api::<CustomResourceDefinition>::all(client.clone());
    let mut tries = 0;
    loop {
        let now = read(client, name).await?;
        if now.storage != storage {
            let headline =
                format!("the storage version of the CRD {name} has changed from {storage} to {}", now.storage);
            return Err(Error::new(
                Reason::Outdated,
                headline,
                "run `migrate` again, so that all objects are stored in it",
            ));
        }
        // With the version that was read: a storage version that changes now makes a conflict.
        let patch =
            json!({ "metadata": { "resourceVersion": now.version }, "status": { "storedVersions": [storage] } });
        tries += 1;
        match api.patch_status(name, &PatchParams::default(), &Patch::Merge(patch)).await {
            Ok(definition) => {
                return Ok(definition.status.and_then(|status| status.stored_versions).unwrap_or_default());
            }
            Err(kube::Error::Api(status)) if status.code == 409 && tries < TRIES => {}
            Err(error) => return Err(failed(name, "changed", &error)),
        }
    }
}

fn failed(name: &str, verb: &str, error: &kube::Error) -> Error {
    let (reason, help) = match error {
        kube::Error::Api(status) if matches!(status.code, 401 | 403) => (
            Reason::Forbidden,
            "grant get for customresourcedefinitions and patch for customresourcedefinitions/status, or use another kubeconfig",
        ),
        _ => (Reason::Unreachable, "check the API server, and run `migrate` again: it can be repeated at any time"),
    };
    Error::new(reason, format!("the CRD {name} cannot be {verb}: {}", why(error)), help)
}
