//! Reconciles git repositories.

fn main() {}
