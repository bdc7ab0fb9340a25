//! Fixtures shared by the behaviour tests.

pub mod apiserver;
pub mod applied_policies;
pub mod broken;
pub mod capture;
pub mod comparison;
pub mod deviations;
pub mod given;
pub mod lab;
mod leftovers;
pub mod listener;
pub mod logs;
pub mod observers;
pub mod pipeline_fixture;
pub mod pod;
pub mod printed;
pub mod random_sequence;
pub mod real;
pub mod recording_client;
pub mod role;
pub mod running;
pub mod scenarios;
pub mod spans;
pub mod stubborn;
pub mod sweep;
pub mod test_env;
pub mod trial;
pub mod widget;
