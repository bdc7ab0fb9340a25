//! Listeners: their socket, and their connections with a limit.

mod connections;
mod listener;

pub(crate) use self::connections::{Connections, Since};
pub(crate) use self::listener::Listener;
#[cfg(feature = "cli")]
pub(crate) use self::listener::address;
