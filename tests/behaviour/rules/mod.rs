//! Rules: what the API server refuses, and what the function returns.

mod enforced;
pub(crate) mod kind;
mod law;
mod policy;
mod printed;
pub(crate) mod shapes;
mod startup;
