//! Reconciles git repositories: fetches them and keeps an archive of the wanted revision.

mod archive;
mod git;
mod sample;
mod storage;

fn main() {}
