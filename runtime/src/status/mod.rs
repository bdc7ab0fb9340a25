//! The status contract: the framework's fields in addition to the author's.

pub(crate) mod bare;
mod contract;
pub(crate) mod desired;
pub(crate) mod draft;
pub(crate) mod erased;
pub(crate) mod fields;
mod framework_fields;
mod inputs;
pub(crate) mod observed;
pub(crate) mod observed_by;
pub(crate) mod operation;
pub mod request;
mod set_status;

pub use self::contract::{StatusContract, StatusField, StoresDependents, field_schema};
pub(crate) use self::framework_fields::used_fields;
#[cfg(feature = "operator")]
pub(crate) use self::framework_fields::{DEPENDENTS, FRAMEWORK_FIELDS, OBSERVED_BY};
pub use self::inputs::ObservedInputs;
#[cfg(feature = "operator")]
pub(crate) use self::inputs::{NOT_FINAL, PATCHED};
pub use self::set_status::{NotReadyObject, SetObject, SetStatus, SetStatuses};
#[cfg(feature = "dependents")]
pub(crate) use self::set_status::{inventory, most_not_ready};
