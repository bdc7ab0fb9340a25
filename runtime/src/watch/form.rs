//! The forms in which objects are delivered.

use std::fmt::Debug;

use kube::Resource;
use kube::core::{ApiResource, DynamicResourceScope};
use serde::de::DeserializeOwned;

use crate::client::decode::{Decoded, Meta, OwnerRecord, Whole};

/// A form in which objects are delivered. Cheap to clone.
pub(super) trait ObjectForm
where
    Self: Resource<DynamicType = ApiResource, Scope = DynamicResourceScope>,
    Self: Clone + DeserializeOwned + Debug + Send + 'static,
{
    /// Whether the requests are for metadata only.
    const METADATA: bool = false;
}

impl ObjectForm for Whole {}
impl ObjectForm for Decoded {}
#[cfg(feature = "dependents")]
impl<const PART: u8> ObjectForm for crate::client::decode::Marked<PART> {
    const METADATA: bool = PART == crate::client::decode::METADATA;
}
impl ObjectForm for Meta {
    const METADATA: bool = true;
}
impl ObjectForm for OwnerRecord {
    const METADATA: bool = true;
}
