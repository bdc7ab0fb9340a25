//! Many copies of one document.

use serde_json::json;
use uuid::Uuid;

use super::SeedError;
use super::create::{Planted, Planter};
use super::document::Document;
use super::uid;
use crate::store::{Key, Write};
use crate::strategy::{meta, metadata};

impl Planter<'_> {
    /// Creates `times` objects with numbered names.
    ///
    /// The last one is created by a request, since its name is the longest. The others are copies of the stored object.
    pub(super) async fn crowd(&mut self, document: Document, times: usize) -> Result<(), SeedError> {
        let name = meta(&document.object, "name").to_owned();
        if name.is_empty() {
            let why = "metadata.name: missing; each of many is called after it";
            return Err(SeedError::about(document.number, &document.title(None), why));
        }
        if uid::is_given(&document.object) {
            let why = "metadata.uid: each of many has its own; leave it out";
            return Err(SeedError::about(document.number, &document.title(None), why));
        }
        let mut rest = 0..times;
        while let Some(at) = rest.next_back() {
            let mut one = document.clone();
            metadata(&mut one.object).insert("name".to_owned(), json!(format!("{name}-{at}")));
            let planted = self.plant(one).await?;
            if has_copies(&planted) {
                return self.copies(&planted, rest.map(|at| format!("{name}-{at}")));
            }
        }
        Ok(())
    }

    fn copies(&self, planted: &Planted, names: impl Iterator<Item = String>) -> Result<(), SeedError> {
        let (store, resource) = (&self.server.store, &planted.kind.storage);
        let Some(stored) = store.get(resource, &planted.key) else { return Ok(()) };
        for name in names {
            let key: Key = (planted.key.0.clone(), name.clone());
            let mut copy = (*stored).clone();
            let fields = metadata(&mut copy);
            fields.insert("uid".to_owned(), json!(Uuid::new_v4().to_string()));
            fields.insert("name".to_owned(), json!(name));
            let write = Write { resource: resource.clone(), key, old: None, new: Some(copy) };
            let there_is_one =
                |_| planted.refused(format!("metadata.name: there is a {} {name} already", planted.kind.kind));
            store.commit(write).map_err(there_is_one)?;
        }
        Ok(())
    }
}

/// Returns whether copies of the stored object are sufficient.
///
/// A CRD also adds a kind, and each service has its own addresses.
fn has_copies(planted: &Planted) -> bool {
    !matches!(&*planted.kind.kind, "CustomResourceDefinition" | "Service")
}
