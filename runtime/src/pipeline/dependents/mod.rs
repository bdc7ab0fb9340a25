//! Sets of dependents in a step: what it wants, and how far the cluster is in line with that.

mod cause;
mod context;
mod converge;
mod ending;
mod entries;
mod entry;
mod error;
#[cfg(feature = "templates")]
mod kinds;
mod lookup;
mod managed_types;
mod namespaces;
#[cfg(feature = "programs")]
mod programs;
mod progress;
mod protection;
mod reach;
#[cfg(feature = "templates")]
mod rendering;
#[cfg(any(feature = "cli", feature = "programs"))]
mod repeat;
mod result;
mod run;
mod settings;
mod site;
#[cfg(feature = "templates")]
mod source;
mod status;
mod tail;
#[cfg(feature = "templates")]
mod templates;
mod unchanged;
mod undo;
mod wanted;
#[cfg(any(feature = "cli", feature = "templates"))]
mod yaml;

pub use self::context::Converge;
pub use self::ending::read_settings;
pub use self::entry::Entry;
pub use self::error::DependentsError;
pub use self::managed_types::{TypeList, type_texts};
#[cfg(feature = "programs")]
pub use self::programs::{HelmChart, Kustomization};
pub(crate) use self::protection::check_deletion;
#[cfg(feature = "cli")]
pub(crate) use self::repeat::differences;
#[cfg(feature = "templates")]
pub use self::result::Renders;
pub use self::result::{Converged, ConvergedOutput, Converges, Dependents, returns_dependents, stores_dependents};
pub use self::settings::SetSettings;
pub use self::site::Site;
#[cfg(feature = "templates")]
pub use self::source::{Source, SourceError};
#[cfg(feature = "operator")]
pub(crate) use self::tail::{lacks_site, remove_redundant};
#[cfg(feature = "templates")]
pub use self::templates::{TemplateError, TemplateFile, Templates, check_ready, count_relations, join_relations};
pub(crate) use self::undo::remove_set;
pub use self::wanted::Wanted;
#[cfg(feature = "cli")]
pub(crate) use self::yaml::documents;
