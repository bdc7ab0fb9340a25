//! Rules: what the API server refuses, and what the function returns.

mod enforced;
mod kind;
mod law;
mod policy;
mod printed;
mod shapes;
mod startup;
