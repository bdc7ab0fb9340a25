//! Reconciles git repositories: fetches them and keeps an archive of the wanted revision.

pub mod archive;
#[cfg(test)]
mod daemon;
pub mod git;
pub mod remote;
pub mod sample;
pub mod storage;
pub mod table;

fn main() {}
