//! The data of an operator in clusters, dashboards and programs, as committed files: a review shows every change.
//!
//! To accept an intended change: `GENERATED=overwrite cargo test -p evenkeel-tests --test stored`. The files in `before` are from an
//! earlier build; they are never overwritten.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod names;
mod objects;
mod operators;
mod restart;
mod scene;
mod scenes;
