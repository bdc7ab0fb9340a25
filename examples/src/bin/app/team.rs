//! `Team`: a watcher tells a mail service which teams there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use evenkeel::prelude::*;
use kube::{CustomResource, KubeSchema, ResourceExt};
use serde::{Deserialize, Serialize};

use crate::journal::Journal;

/// A team that has sites.
#[derive(CustomResource, KubeSchema, Clone, Debug, Deserialize, Serialize)]
#[kube(group = "app.evenkeel.dev", version = "v1", kind = "Team", namespaced, status = "TeamStatus")]
pub struct TeamSpec {
    /// The domain in which the hosts of the team's sites are.
    pub domain: String,
    /// The mail address of the team.
    pub contact: String,
}

/// The state of a team.
#[status]
pub struct TeamStatus {}

/// Why the mail service was not reached.
#[derive(Debug, thiserror::Error, ReconcileError)]
pub enum MailError {
    /// The service accepts no request at the moment.
    #[error("the mail service is busy")]
    #[class(transient)]
    Busy,
}

/// Stands for a mail service, which is busy at its first request.
#[derive(Debug)]
pub struct Mail {
    journal: Arc<Journal>,
    is_busy: AtomicBool,
}

impl Mail {
    /// Creates a service that records its requests.
    #[must_use]
    pub fn new(journal: Arc<Journal>) -> Self {
        Self { journal, is_busy: AtomicBool::new(true) }
    }

    fn request(&self, call: String) -> Result<(), MailError> {
        if self.is_busy.swap(false, Ordering::Relaxed) {
            self.journal.record(format!("{call}: the mail service is busy"));
            return Err(MailError::Busy);
        }
        self.journal.record(call);
        Ok(())
    }
}

#[watcher(on(generation))]
impl Mail {
    async fn add(&self, team: &Team) -> Result<(), MailError> {
        self.request(format!("add team {}, {}", team.name_any(), team.spec.contact))
    }

    async fn update(&self, old: &Team, team: &Team) -> Result<(), MailError> {
        self.request(format!("update team {}, {} -> {}", team.name_any(), old.spec.contact, team.spec.contact))
    }

    async fn delete(&self, team: &Team) -> Result<(), MailError> {
        self.request(format!("delete team {}", team.name_any()))
    }
}
