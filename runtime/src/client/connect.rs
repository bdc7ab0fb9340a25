//! Builds the client of a configuration.

use kube::client::ClientBuilder;
use kube::{Client, Config, Error};

use super::agent::agent_layer;

/// Builds the client of a configuration, with this user agent.
pub(crate) type Connect = fn(Config, &str) -> Result<Client, Error>;

/// Builds a client with the user agent, and without kube's retries, since the queue backs off per object.
pub(crate) fn configured(mut config: Config, agent: &str) -> Result<Client, Error> {
    config.default_retry = false;
    Ok(ClientBuilder::try_from(config)?.with_layer(&agent_layer(agent)).build())
}
