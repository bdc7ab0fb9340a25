//! What the programs of the examples share: the API server that they run against, and the terminal.

pub mod server;
pub mod terminal;
