//! The order of dependents: ranks inside a wave, and managed types.

mod managed_type;
mod rank;
mod type_pattern;

pub use self::managed_type::{ManagedType, managed_types};
pub use self::rank::{apply_rank, delete_rank, has_pods};
pub use self::type_pattern::{InvalidTypePattern, TypePattern};
