//! The versions of a kind while the owners of fields are computed, which is done without waiting.

use std::cell::RefCell;

use serde_json::Value;

use super::review;
use crate::apply::{Lists, Versions};
use crate::registry::{Kind, split};
use crate::schema::Structural;
use crate::served_version::Lens;
use crate::state::Server;

/// Runs a computation. If it requires conversions by a webhook, they are made, and it is run again.
pub(crate) async fn with_versions<T>(server: &Server, lens: &Lens, run: impl Fn(Lists<'_>) -> T) -> T {
    let Some(schema) = &lens.schema else { return run(Lists::Deduced) };
    let mut known = Known { kind: &lens.kind, made: Vec::new(), missing: RefCell::new(None) };
    loop {
        let result = run(Lists::Versions(schema, &known));
        let (Some((object, version)), Some(conversion)) = (known.missing.take(), lens.kind.webhook()) else {
            return result;
        };
        let converted = review::converted(server, conversion, &object, &version).await;
        let converted = converted.map_err(|failure| failure.message);
        known.made.push(Made { object, version, converted });
    }
}

/// The versions of a kind, with the conversions that are made.
#[derive(Debug)]
struct Known<'a> {
    kind: &'a Kind,
    made: Vec<Made>,
    /// The first conversion that is required and not made: an object and a version.
    missing: RefCell<Option<(Value, String)>>,
}

/// A conversion by a webhook.
#[derive(Debug)]
struct Made {
    object: Value,
    version: String,
    converted: Result<Value, String>,
}

impl Versions for Known<'_> {
    fn schema(&self, api_version: &str) -> Option<&Structural> {
        let (group, version) = split(api_version);
        let custom = self.kind.custom().filter(|_| group == self.kind.group)?;
        custom.schemas.get(version).map(AsRef::as_ref)
    }

    fn convert(&self, object: &Value, api_version: &str) -> Result<Value, String> {
        if self.kind.webhook().is_none() {
            let mut converted = object.clone();
            converted["apiVersion"] = api_version.into();
            return Ok(converted);
        }
        if let Some(made) = self.made.iter().find(|made| made.version == api_version && made.object == *object) {
            return made.converted.clone();
        }
        self.missing.borrow_mut().get_or_insert_with(|| (object.clone(), api_version.to_owned()));
        Err("the conversion is not made yet".to_owned())
    }
}
