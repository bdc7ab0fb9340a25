//! Snapshots of lists that a continue token leads back to: bounded in number, expiring with time.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::Listing;

/// How many unfinished lists are kept.
const LIMIT: usize = 256;

/// How long a token is good for: as long as a cluster's etcd keeps history.
const LIFE: Duration = Duration::from_secs(300);

/// The unfinished lists.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    kept: Mutex<VecDeque<Kept>>,
}

#[derive(Debug)]
struct Kept {
    id: String,
    since: Instant,
    listing: Arc<Listing>,
}

/// A part of a list: where it starts, and the whole.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) listing: Arc<Listing>,
    pub(crate) start: usize,
}

/// Why a token leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// No server made this token.
    Malformed,
    /// Its snapshot is gone.
    Expired,
}

impl Pages {
    /// Keeps a listing and gives the token of its rest after `start`.
    pub(crate) fn keep(&self, page: &Page, next: usize) -> String {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kept.iter().find(|known| Arc::ptr_eq(&known.listing, &page.listing)) {
            return token(&known.id, next);
        }
        let id = Uuid::new_v4().simple().to_string();
        kept.push_back(Kept { id: id.clone(), since: Instant::now(), listing: Arc::clone(&page.listing) });
        while kept.len() > LIMIT {
            kept.pop_front();
        }
        token(&id, next)
    }

    /// Where a token leads.
    pub(crate) fn find(&self, token: &str) -> Result<Page, Lost> {
        let (id, start) = token.split_once('.').ok_or(Lost::Malformed)?;
        let start = start.parse().map_err(|_| Lost::Malformed)?;
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|known| known.since.elapsed() < LIFE);
        let known = kept.iter().find(|known| known.id == id).ok_or(Lost::Expired)?;
        Ok(Page { listing: Arc::clone(&known.listing), start })
    }

    /// Expires every token.
    pub(crate) fn clear(&self) {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

fn token(id: &str, start: usize) -> String {
    format!("{id}.{start}")
}
