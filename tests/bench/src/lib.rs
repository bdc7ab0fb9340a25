//! The subjects of the benches: one operator, hand-written in two ways and with evenkeel, and the answers of an API server.
//!
//! [`hand::b0`] is written like the examples of kube, [`hand::b1`] is tuned, [`ours`] is written with evenkeel. All three do the same for a
//! [`kind::Release`]: with or without a finalizer, with or without a child. The benches count bytes, allocations and instructions on
//! pre-rendered [`answers`]; `tests/behaviour/request_budget.rs` counts requests on the test kit.
#![allow(missing_docs, reason = "a bench is read, not called")]
#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bench ends at the first surprise"
)]

pub mod answers;
pub mod chart;
pub mod draw;
pub mod fleet;
pub mod hand;
pub mod kind;
pub mod ours;
pub mod pending;
pub mod repairs;
pub mod report;
pub mod resident;
pub mod sample;
pub mod shapes;
pub mod table;
