//! Builds the client of a configuration.

#[cfg(not(feature = "lease"))]
use kube::client::ClientBuilder;
use kube::{Client, Config, Error};

#[cfg(not(feature = "lease"))]
use super::agent::agent_layer;
#[cfg(feature = "lease")]
pub(crate) use super::stack::configured;

/// Builds the client of a configuration, with this user agent.
pub(crate) type Connect = fn(Config, &str) -> Result<Client, Error>;

/// Builds a client with the user agent, and without kube's retries, since the queue backs off per object.
#[cfg(not(feature = "lease"))]
pub(crate) fn configured(mut config: Config, agent: &str) -> Result<Client, Error> {
    config.default_retry = false;
    Ok(ClientBuilder::try_from(config)?.with_layer(&agent_layer(agent)).build())
}
