//! Shared parts of the example programs: the API server, the terminal, and the course of a demo.

pub mod once;
pub mod server;
pub mod story;
pub mod terminal;
