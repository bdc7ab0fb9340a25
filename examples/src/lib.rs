//! What the programs of the examples share: the API server that they run against, the terminal, and how a demo is told.

pub mod server;
pub mod story;
pub mod terminal;
