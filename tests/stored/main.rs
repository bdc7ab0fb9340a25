//! What users' clusters, dashboards and programs hold of an operator, as committed files: a change of it is seen in a review.
//!
//! After a change that is meant: `GENERATED=overwrite cargo test -p evenkeel-tests --test stored`. The files in `before` are what an
//! earlier build left; they are never written again.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod names;
mod objects;
mod operators;
mod restart;
mod scene;
mod scenes;
