//! Rules: what the API server refuses, and what the function returns.

mod enforced;
mod kind;
mod policy;
mod printed;
mod shapes;
mod startup;
