//! Sets of dependents in a step: what it wants, and how far the cluster is in line with that.

mod cause;
mod context;
mod converge;
mod error;
mod lookup;
mod namespaces;
mod progress;
mod protection;
mod result;
mod settings;
mod status;
mod tail;
mod undo;
mod wanted;

pub use self::context::Converge;
pub use self::error::DependentsError;
pub(crate) use self::protection::check_deletion;
pub use self::result::{Converged, Converges, Dependents, returns_dependents, stores_dependents};
pub use self::settings::SetSettings;
#[cfg(feature = "operator")]
pub(crate) use self::tail::remove_redundant;
pub(crate) use self::undo::remove_set;
pub use self::wanted::{Entry, Wanted};
