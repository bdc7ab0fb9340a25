//! A restricted status field: a step named by its path, a renamed crate, and no effect on the wire format.

use evenkeel::prelude::*;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::northstar::{Artifact, RepoError, on};
use super::renamed::vendor::keel;

#[derive(CustomResource, JsonSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "example.com", version = "v1", kind = "Shelf", namespaced, status = "ShelfStatus")]
pub struct ShelfSpec {}

/// What is on it.
#[keel::status(crate = crate::renamed::vendor::keel)]
pub struct ShelfStatus {
    /// What is kept.
    #[status(step = shelves::store)]
    pub artifact: Option<Artifact>,
    #[status(step = count)]
    #[serde(rename = "howMany")]
    pub(crate) total: Vec<u8>,
    #[cfg(any())]
    #[status(step = nowhere)]
    absent: Option<Nothing>,
    pub note: Option<String>,
}

/// The same without restrictions.
mod free {
    use super::Artifact;

    /// What is on it.
    #[evenkeel::status]
    pub struct ShelfStatus {
        /// What is kept.
        pub artifact: Option<Artifact>,
        #[serde(rename = "howMany")]
        pub(crate) total: Vec<u8>,
        pub note: Option<String>,
    }
}

#[sub_reconciler(sets(on::SourceFetched, on::ArtifactOutdated))]
async fn count(_shelf: &Shelf, cx: &mut Cx) -> Result<(), RepoError> {
    cx.write(|status| &mut status.total).push(1);
    let known: Option<Artifact> = cx.status().artifact.clone();
    cx.status().note = known.map(|artifact| artifact.revision);
    Ok(())
}

pub struct Shelves {}

#[reconciler(conditions = crate::northstar::RepoCondition)]
impl Shelves {
    async fn reconcile(&self, shelf: &Shelf, cx: &mut Pass<'_>) -> PassResult {
        count(shelf, cx).await?;
        self.store(shelf, cx).await?;
        Ok(())
    }

    #[sub_reconciler(sets(on::ArtifactStored), external)]
    async fn store(&self, _shelf: &Shelf, cx: &mut Cx) -> Result<(), RepoError> {
        *cx.write(|status| &mut status.artifact) = Some(Artifact { revision: cx.status().total.len().to_string() });
        Ok(())
    }

    #[cleanup(of = store)]
    async fn remove(&self, _shelf: &Shelf, cx: &mut Cx) -> Result<(), RepoError> {
        *cx.write(|status| &mut status.artifact) = None;
        Ok(())
    }
}

#[test]
fn a_restriction_changes_neither_schema_nor_wire_format() {
    let schema = |schema: schemars::Schema| schema.to_value();
    assert_eq!(schema(schemars::schema_for!(ShelfStatus)), schema(schemars::schema_for!(free::ShelfStatus)));
    let artifact = Some(Artifact { revision: "a".into() });
    let full = ShelfStatus { artifact, total: vec![1], ..ShelfStatus::default() };
    let wire = json!({ "artifact": { "revision": "a" }, "howMany": [1] });
    assert_eq!(serde_json::to_value(&full).unwrap(), wire);
    assert_eq!(serde_json::from_value::<ShelfStatus>(wire).unwrap(), full);
    assert_eq!(serde_json::to_value(ShelfStatus::default()).unwrap(), json!({}));
}
