//! The forms in which objects are delivered.

use std::fmt::Debug;

use kube::Resource;
use kube::core::{ApiResource, DynamicResourceScope};
use serde::de::DeserializeOwned;

use crate::client::decode::{Guarded, Meta, Record, Whole};

/// A form in which objects are delivered; it is cheap to clone.
pub(super) trait Form
where
    Self: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
    Self: Clone + DeserializeOwned + Debug + Send + 'static,
{
    /// Whether the server is asked for metadata only.
    const METADATA: bool = false;
}

impl Form for Whole {}
impl Form for Guarded {}
impl Form for Meta {
    const METADATA: bool = true;
}
impl Form for Record {
    const METADATA: bool = true;
}
