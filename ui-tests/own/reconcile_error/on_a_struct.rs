//! A way to fail is a variant.
use evenkeel::prelude::*;

#[derive(Debug, thiserror::Error, ReconcileError)]
#[error("out of order")]
struct Broken;

fn main() {
    println!("{} {}", Broken, Broken.reason());
}
