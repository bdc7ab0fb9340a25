//! Sets of dependents: what an operator does with them, on each server.

mod estate;
mod shop;

mod drift;
mod end;
mod foreign;
mod namespaces;
mod property;
mod rollout;
mod sweep;
mod templates;
mod types;
mod wrong;
