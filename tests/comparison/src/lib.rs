//! One operator in four frameworks: the scenario that each of them has to pass, and what is counted from outside.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "a program with tests, not a library for others")]

pub mod api_server;
pub mod framework;
pub mod gate;
pub mod idle;
pub mod kills;
pub mod life;
pub mod lines;
pub mod memory;
pub mod operator;
pub mod proxy;
pub mod recorded;
pub mod requests;
pub mod scenario;
pub mod service;
pub mod site;
pub mod table;

/// An error that ends a run, with its text.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
pub type Result<T, E = Error> = std::result::Result<T, E>;
