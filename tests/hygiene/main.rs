//! Expansions compile in every place where a user may put them.
#![allow(
    clippy::unwrap_used,
    dead_code,
    unreachable_pub,
    reason = "operators are written as in a library; the test is that they compile"
)]

mod bare;
mod conversions;
mod dependencies;
mod files;
mod generic;
mod grammar;
mod locals;
mod names;
mod northstar;
mod renamed;
mod restricted;
mod reviews;
mod routes;
mod rules;
mod schema;
mod shadowed;
mod structs;
mod twins;
