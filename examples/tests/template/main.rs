//! The template for operators: rendered as `cargo generate` and the commands of its README do, compiled, and tested with hostile names.
#![allow(clippy::unwrap_used, missing_docs, unreachable_pub, reason = "a test may, and a new operator does")]

// The code of the template names its library so.
extern crate self as operator;

mod cargo;
mod external_client;
mod names;
mod rendering;
mod spec_types;
mod tools;

// One rendered project, committed so that it is compiled with the dependencies of the other tests.
#[rustfmt::skip]
#[path = "dns_zone/tests/operator.rs"]
mod behaviour;
#[rustfmt::skip]
#[path = "dns_zone/src/operator.rs"]
mod library;
#[rustfmt::skip]
#[path = "dns_zone/src/main.rs"]
#[allow(dead_code, reason = "it is compiled only")]
mod program;

pub use library::*;
