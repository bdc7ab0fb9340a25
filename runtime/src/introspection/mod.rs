//! Output that is generated from the wiring of a reconciler: graph, reference page, contract and RBAC rules.
//!
//! Everything is computed from [`WIRING`](crate::Reconciler::WIRING), so it cannot diverge from the code. The command
//! line prints it (`wiring`, `docs`, `contract`, `rbac`, `app`), and a test may compare the output with files in the
//! repository.

mod api_contract;
mod api_diff;
mod app_manifest;
mod contract;
mod crd_contract;
mod crd_diff;
mod error;
#[cfg(feature = "doctor")]
mod explanation;
#[cfg(test)]
mod fixture;
mod flow;
mod function_info;
mod grafana;
mod graph;
mod manifest;
mod mermaid;
mod next_pass;
mod number_format;
mod page;
mod printer_column;
mod rbac;
mod rbac_rule;
mod reason;
mod reconciler_info;
mod table;

pub use self::api_contract::AdmissionContract;
pub use self::api_diff::{ApiDiff, Semver};
pub use self::app_manifest::{
    AppManifest, KindManifest, PermissionManifest, ReconcilerManifest, ReviewManifest, RouteManifest, VersionManifest,
};
pub use self::contract::{ConditionContract, Contract, ReconcilerContract};
pub use self::crd_contract::{CrdContract, FieldContract};
pub use self::manifest::Roles;
pub use self::rbac_rule::RbacRule;
pub use self::reconciler_info::ReconcilerInfo;
pub use crate::wiring::Verb;

#[cfg(feature = "operator")]
pub(crate) use self::app_manifest::AppParts;
#[cfg(feature = "doctor")]
pub(crate) use self::explanation::explain;
#[cfg(feature = "operator")]
pub(crate) use self::function_info::{ReviewInfo, RouteInfo};
#[cfg(feature = "operator")]
pub(crate) use self::grafana::grafana;
#[cfg(all(feature = "operator", feature = "webhooks"))]
pub(crate) use self::number_format::remove_unknown_formats;
pub use self::printer_column::crd;
#[cfg(feature = "operator")]
pub(crate) use self::printer_column::{add_columns, completed};
#[cfg(feature = "metrics")]
pub(crate) use self::rbac::with_listener;
#[cfg(all(feature = "operator", feature = "webhooks"))]
pub(crate) use self::rbac::with_reviews;
#[cfg(feature = "routes")]
pub(crate) use self::rbac::with_routes;
#[cfg(feature = "operator")]
pub(crate) use self::rbac::{AllRules, all_rules};
#[cfg(feature = "cli")]
pub(crate) use self::rbac_rule::text;
#[cfg(feature = "doctor")]
pub(crate) use self::table::columns;
