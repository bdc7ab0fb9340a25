//! API servers of a single test, which it may stop, reset and restart: the in-process one, or copies of the real ones.

use std::time::Duration;

use evenkeel_testkit::{Backup, Cluster, Effect, Fault};

use crate::real::{RealServer, Version};
use crate::test_env::{Server, World};

/// An API server of a single test.
pub enum ApiServer {
    /// In this process.
    InProcess(Box<(Cluster, Option<Backup>)>),
    /// Separate processes.
    Real(RealServer),
}

/// The state to which the store is reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// The [saved](ApiServer::save) state.
    Saved,
    /// An empty store.
    Nothing,
    /// The present state: the server is only restarted.
    Present,
}

impl ApiServer {
    /// Starts one; `None`, with a visible line, if the real servers are not available.
    ///
    /// # Panics
    /// It does not start.
    pub async fn start(server: Server) -> Option<Self> {
        let version = match server {
            Server::InProcess => return Some(Self::InProcess(Box::new((Cluster::start().await, None)))),
            Server::Modern => Version::Modern,
            Server::Full => Version::Full,
        };
        Some(Self::Real(RealServer::start(version, false).await?))
    }

    /// Creates a world on it.
    ///
    /// # Panics
    /// It cannot be used.
    pub async fn world(&self, server: Server) -> World {
        match self {
            Self::InProcess(site) => World::beside(site.0.clone()).await,
            Self::Real(real) => World::over(server, real.client().await).await,
        }
    }

    /// Saves the present store.
    ///
    /// # Panics
    /// The store cannot be saved.
    pub async fn save(&mut self) {
        match self {
            Self::InProcess(site) => site.1 = Some(site.0.backup()),
            Self::Real(real) => {
                real.back_up();
                real.start_again().await;
            }
        }
    }

    /// Kills the server, and restarts it after some time with its store reset. Faults of the in-process server are cleared.
    ///
    /// # Panics
    /// The store cannot be reset.
    pub async fn set_back(&mut self, to: To, outage: Duration) {
        match self {
            Self::InProcess(site) => {
                let (cluster, saved) = &**site;
                cluster.faults().add(Fault::new(Effect::Unavailable).always());
                match to {
                    To::Saved => cluster.restore(saved.as_ref().expect("something was saved")),
                    To::Nothing => cluster.wipe(),
                    To::Present => cluster.restore(&cluster.backup()),
                }
                tokio::time::sleep(outage).await;
                cluster.faults().clear();
            }
            Self::Real(real) => {
                match to {
                    To::Saved => real.restore(),
                    To::Nothing => real.wipe(),
                    To::Present => real.kill_all(),
                }
                tokio::time::sleep(outage).await;
                real.start_again().await;
            }
        }
    }
}
