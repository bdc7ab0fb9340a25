//! Snapshots of paginated lists, to which continue tokens refer. They are limited in number and expire.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use uuid::Uuid;

use super::Listing;
use crate::lock::Mutex;

/// The number of retained unfinished lists.
const LIMIT: usize = 256;

/// The validity of a token: as long as the etcd of a cluster retains its history.
const LIFE: Duration = Duration::from_secs(300);

/// The unfinished lists.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    retained: Mutex<VecDeque<Retained>>,
}

#[derive(Debug)]
struct Retained {
    id: String,
    since: Instant,
    listing: Arc<Listing>,
}

/// A page of a list: the whole list and the start of the page.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) listing: Arc<Listing>,
    pub(crate) start: usize,
}

/// The reason why a token is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The text is not a token.
    Malformed,
    /// The snapshot of the token is no longer retained.
    Expired,
}

impl Pages {
    /// Retains a list, and returns the continue token for the items from `next` on.
    pub(crate) fn keep(&self, page: &Page, next: usize) -> String {
        let mut retained = self.retained.lock();
        if let Some(known) = retained.iter().find(|known| Arc::ptr_eq(&known.listing, &page.listing)) {
            return token(&known.id, next);
        }
        let id = Uuid::new_v4().simple().to_string();
        retained.push_back(Retained { id: id.clone(), since: Instant::now(), listing: Arc::clone(&page.listing) });
        while retained.len() > LIMIT {
            retained.pop_front();
        }
        token(&id, next)
    }

    /// Returns the page of a continue token.
    pub(crate) fn find(&self, token: &str) -> Result<Page, Lost> {
        let (id, start) = token.split_once('.').ok_or(Lost::Malformed)?;
        let start = start.parse().map_err(|_| Lost::Malformed)?;
        let mut retained = self.retained.lock();
        retained.retain(|known| known.since.elapsed() < LIFE);
        let known = retained.iter().find(|known| known.id == id).ok_or(Lost::Expired)?;
        Ok(Page { listing: Arc::clone(&known.listing), start })
    }

    /// Expires every token.
    pub(crate) fn clear(&self) {
        self.retained.lock().clear();
    }
}

fn token(id: &str, start: usize) -> String {
    format!("{id}.{start}")
}
