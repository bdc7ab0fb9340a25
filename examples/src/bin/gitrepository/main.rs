//! Reconciles git repositories: fetches them and keeps an archive of the wanted revision.

pub mod archive;
pub mod git;
pub mod sample;
pub mod storage;
pub mod table;

fn main() {}
