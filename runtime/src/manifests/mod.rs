//! The objects that install an operator: from its CRDs and roles to its Deployment and webhook configurations.
//!
//! `manifests` on the command line prints them. [`Operator::manifests`](crate::Operator::manifests) changes them before they are printed, and
//! [`Operator::manifest_set`](crate::Operator::manifest_set) returns them to a program. The [guide](crate::guide::manifests) has examples.

mod aggregated_roles;
mod alerts;
mod certificate;
mod config_map;
mod config_text;
mod crds;
mod dashboard;
mod deployment;
mod disruption_budget;
mod document;
mod flow_schema;
mod folder;
mod helm;
mod holes;
mod invalid;
mod kustomize;
mod labels;
mod namespace;
mod network_policy;
mod options;
mod parts;
mod pod_security;
mod probes;
mod resources;
mod roles;
mod service;
mod service_account;
mod service_monitor;
mod set;
mod uninstall;
mod webhooks;

pub use self::document::Part;
pub use self::options::{Certificates, ManifestOptions};
pub use self::set::ManifestSet;

#[cfg(feature = "config")]
pub(crate) use self::config_text::ConfigText;
pub(crate) use self::deployment::WIRING_VARIABLE;
pub(crate) use self::document::Document;
pub(crate) use self::folder::{Folder, Record};
pub(crate) use self::helm::{RELEASE_NAMESPACE, chart};
pub(crate) use self::invalid::Invalid;
pub(crate) use self::kustomize::kustomization;
pub(crate) use self::options::check_namespace;
pub(crate) use self::parts::{HookParts, Parts};
pub(crate) use self::set::{Edits, build};
pub(crate) use self::uninstall::uninstall;
