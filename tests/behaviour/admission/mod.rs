//! Reviews of writes: the functions, their HTTP service and their webhook configurations.

mod alone;
mod arguments;
mod bad_input;
mod budget;
mod cached;
mod chain;
mod configuration;
mod denial;
mod failure;
pub(crate) mod kinds;
mod metrics;
mod mutation;
mod patch_law;
mod review;
mod roll_out;
mod rows;
mod server;
mod setup;
mod standby;
