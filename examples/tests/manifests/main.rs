//! The objects that install an operator: what `manifests` prints, what servers accept, and what the objects promise.
#![allow(missing_docs, dead_code, unreachable_pub, reason = "the operators are programs")]
#![allow(clippy::unwrap_used, reason = "a test may")]

mod apply;
mod chart;
mod check;
mod commands;
mod kubectl;
mod monitoring;
mod pod_security;
mod printed;
mod reference;
mod rights;
