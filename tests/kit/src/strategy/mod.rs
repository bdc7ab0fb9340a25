//! Changes that the server makes to written objects: system fields, generation, status, and kind-specific fields.

mod builtin;
mod change;
mod defaults;
mod fields;
mod fixed;
mod fresh;
mod metadata;
mod pod;
mod policy;
mod policy_binding;
mod priority;
mod rules;
mod service;
mod status;
mod webhook;
mod workload;

pub(crate) use builtin::{causes as kind_causes, complete, times};
pub(crate) use change::{Part, carry_over};
pub(crate) use defaults::defaults;
pub(crate) use fields::{finalizers, is_deleting, is_free, meta, metadata};
pub(crate) use fresh::fresh;
pub(crate) use metadata::{created, finalizer_warnings, updated};
pub(crate) use priority::SYSTEM_PRIORITIES;
pub(crate) use service::{needs_address, needs_health_check, needs_port};
