//! Listeners: their socket, and their connections with a limit; the bodies and answers of the listener for API servers.

#[cfg(feature = "webhooks")]
mod answer;
#[cfg(feature = "webhooks")]
mod body;
mod connections;
mod listener;

#[cfg(feature = "webhooks")]
pub(crate) use self::answer::{answer, error};
#[cfg(feature = "webhooks")]
pub(crate) use self::body::whole;
pub(crate) use self::connections::{Connections, Since};
pub(crate) use self::listener::Listener;
#[cfg(feature = "cli")]
pub(crate) use self::listener::address;
