//! The attribute belongs on the `impl`.
use evenkeel::prelude::*;

#[watcher]
pub struct Repos;

fn main() {
    let _ = Repos;
}
