//! Sets of dependents: what an operator does with them, on each server.

mod shop;

mod drift;
mod end;
mod foreign;
mod rollout;
mod wrong;
