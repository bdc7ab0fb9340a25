//! Manifests: what is sent of the objects that a step renders, and its digest.

mod applied;
mod digest;
mod id;
mod invalid;
mod json_text;
mod kind_rules;
mod normal;
mod replacement;
mod type_meta;

pub use self::applied::Applied;
pub use self::digest::Digest;
pub use self::id::ObjectId;
pub use self::invalid::InvalidManifest;
pub use self::json_text::JsonText;
#[cfg(feature = "templates")]
pub(crate) use self::normal::drop_nulls;
pub use self::normal::{Manifest, Scope};
pub use self::replacement::replacement;
pub use self::type_meta::TypeMeta;
