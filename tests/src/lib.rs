//! Fixtures shared by the behaviour tests.

pub mod widget;
pub mod wire;
pub mod world;
