//! Fixtures shared by the behaviour tests.

pub mod apiserver;
pub mod broken;
pub mod contest;
pub mod deviation;
pub mod given;
pub mod listener;
pub mod logs;
pub mod observers;
pub mod ordeal;
pub mod real;
pub mod recipe;
pub mod role;
pub mod sequence;
pub mod spans;
pub mod stubborn;
pub mod sweep;
pub mod trial;
pub mod widget;
pub mod wire;
pub mod world;
