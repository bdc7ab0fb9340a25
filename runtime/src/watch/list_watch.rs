//! Lists objects and watches them from there, and lists again whenever an event may have been missed.
//!
//! The watcher of kube-runtime continues from its last resourceVersion after each failure. That is not safe if the store of the API
//! server was restored or wiped in the meantime: versions restart at a lower number, and a watch from a version that the server has not
//! reached starts without an error and delivers nothing.

use std::collections::VecDeque;
use std::time::Duration;

use futures::stream::{BoxStream, Stream, StreamExt, unfold};
use kube::Api;
use kube::api::{ListParams, WatchEvent, WatchParams};
use kube::runtime::watcher::Event;
use tokio::time::{Instant, sleep_until, timeout};

use super::error::Error;
use super::form::ObjectForm;
use super::watch_target::Selection;
use crate::client::is_too_long;
use crate::resource_version::is_older;

/// The requested timeout of a watch, below the five minutes after which API servers end a watch without a timeout.
pub(super) const LIFE: Duration = Duration::from_secs(290);

/// Time without any event, or the end of the watch, after which a watch counts as hanging.
const HANGS: Duration = LIFE.saturating_add(Duration::from_secs(5));

/// Same as [`HANGS`] for a watch with bookmarks, which API servers send every minute.
const HANGS_WITH_BOOKMARKS: Duration = Duration::from_secs(150);

/// Timeout for a page of a list. API servers give up after 60 s themselves.
const PAGE: Duration = Duration::from_secs(65);

/// Objects per page, as in client-go.
const LIMIT: u32 = 500;

/// Minimum time between two starts of a watch that ends without an event.
const LEAST: Duration = Duration::from_secs(1);

/// An event for the caller, or evidence that the watch works.
pub(super) enum Received<K> {
    Event(Event<K>),
    /// A bookmark or a regular end: the watch works and has nothing to deliver.
    Works,
}

type Events<K> = BoxStream<'static, kube::Result<WatchEvent<K>>>;

/// A resourceVersion to continue from, and whether the server is known to have reached it.
#[derive(Debug)]
struct Position {
    version: String,
    checked: bool,
}

enum State<K> {
    /// There is no known position; a list comes next.
    Empty,
    /// A list in progress: the rest of a page, the token of the next page, and the version of the list.
    Pages {
        objects: VecDeque<K>,
        next: Option<String>,
        version: Option<String>,
    },
    /// A streaming list in progress.
    Initial(Events<K>),
    /// The list is complete; the watch comes next.
    Listed(Position),
    /// The watch ended, and the server may have been restored since.
    Doubtful(String),
    Watching(Watching<K>),
}

struct Watching<K> {
    position: Position,
    events: Events<K>,
    begun: Instant,
    /// Whether it delivered anything.
    heard: bool,
    /// Whether it delivered a bookmark.
    marked: bool,
}

impl<K> Watching<K> {
    fn from(position: Position, events: Events<K>) -> Self {
        Self { position, events, begun: Instant::now(), heard: false, marked: false }
    }

    fn patience(&self) -> Duration {
        if self.marked { HANGS_WITH_BOOKMARKS } else { HANGS }
    }

    /// Moves the position to a delivered version.
    fn moves_to(&mut self, version: &str) -> Result<(), Error> {
        let before = &self.position.version;
        if version.is_empty() {
            return Err(Error::NoVersion);
        }
        if is_older(version, before) {
            return Err(Error::WentBack(before.clone(), version.to_owned()));
        }
        (self.heard, self.position.checked) = (true, false);
        version.clone_into(&mut self.position.version);
        Ok(())
    }
}

struct ListWatch<K> {
    api: Api<K>,
    selection: Selection,
    state: State<K>,
    /// Whether this server has sent bookmarks.
    marks: bool,
}

/// The events of a list and of all later changes. After an error it lists again; the caller waits first.
pub(super) fn list_watch<K: ObjectForm>(
    api: Api<K>,
    selection: Selection,
) -> impl Stream<Item = Result<Received<K>, Error>> + Send {
    let begin = ListWatch { api, selection, state: State::Empty, marks: false };
    unfold(begin, |mut this| async {
        loop {
            match this.step().await {
                Ok(None) => {}
                Ok(Some(heard)) => return Some((Ok(heard), this)),
                Err(error) => return Some((Err(error), this)),
            }
        }
    })
}

impl<K: ObjectForm> ListWatch<K> {
    /// Runs one step. A step that sets no state starts over with a list.
    async fn step(&mut self) -> Result<Option<Received<K>>, Error> {
        match std::mem::replace(&mut self.state, State::Empty) {
            State::Empty => self.begin().await,
            State::Pages { objects, next, version } => self.page(objects, next, version).await,
            State::Initial(events) => self.initial(events).await,
            State::Listed(position) => self.watch(position).await,
            State::Doubtful(version) => self.check(version).await,
            State::Watching(watching) => self.next(watching).await,
        }
    }

    async fn begin(&mut self) -> Result<Option<Received<K>>, Error> {
        self.state = match self.selection.streams {
            // Without a version, the data are as fresh as those of a list.
            true => State::Initial(self.events(self.watch_params().initial_events(), "").await?),
            false => State::Pages { objects: VecDeque::new(), next: None, version: None },
        };
        Ok(Some(Received::Event(Event::Init)))
    }

    async fn page(
        &mut self,
        mut objects: VecDeque<K>,
        next: Option<String>,
        version: Option<String>,
    ) -> Result<Option<Received<K>>, Error> {
        if let Some(object) = objects.pop_front() {
            self.state = State::Pages { objects, next, version };
            return Ok(Some(Received::Event(Event::InitApply(object))));
        }
        if let (None, Some(version)) = (&next, version) {
            self.state = State::Listed(Position { version, checked: true });
            return Ok(Some(Received::Event(Event::InitDone)));
        }
        let params = ListParams { limit: Some(LIMIT), continue_token: next, ..self.list_params() };
        let list = timeout(PAGE, self.api.list(&params)).await.map_err(|_| Error::Unanswered)?.map_err(Error::List)?;
        let filled = |text: Option<String>| text.filter(|text| !text.is_empty());
        let (next, version) = (filled(list.metadata.continue_), filled(list.metadata.resource_version));
        if next.is_none() && version.is_none() {
            return Err(Error::NoVersion);
        }
        self.state = State::Pages { objects: list.items.into(), next, version };
        Ok(None)
    }

    async fn initial(&mut self, mut events: Events<K>) -> Result<Option<Received<K>>, Error> {
        let event = timeout(HANGS, events.next()).await.map_err(|_| Error::Silent(HANGS))?.ok_or(Error::BrokeOff)?;
        let heard = match event.map_err(Error::Broke)? {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => Some(Event::InitApply(object)),
            WatchEvent::Bookmark(mark) if mark.metadata.annotations.contains_key("k8s.io/initial-events-end") => {
                let position = Position { version: mark.metadata.resource_version, checked: true };
                self.state = State::Watching(Watching::from(position, events));
                return Ok(Some(Received::Event(Event::InitDone)));
            }
            // No server deletes an object that it has not listed yet.
            WatchEvent::Bookmark(_) | WatchEvent::Deleted(_) => None,
            WatchEvent::Error(status) => return Err(Error::Reported(status)),
        };
        self.state = State::Initial(events);
        Ok(heard.map(Received::Event))
    }

    async fn watch(&mut self, position: Position) -> Result<Option<Received<K>>, Error> {
        match self.events(self.watch_params(), &position.version).await {
            Ok(events) => self.state = State::Watching(Watching::from(position, events)),
            Err(error) => {
                // The server is overloaded, so the position stays valid. Another list would add load.
                if matches!(&error, Error::Start(kube::Error::Api(status)) if status.code == 429) {
                    self.state = State::Listed(position);
                }
                return Err(error);
            }
        }
        Ok(None)
    }

    async fn next(&mut self, mut watching: Watching<K>) -> Result<Option<Received<K>>, Error> {
        let patience = watching.patience();
        let event = timeout(patience, watching.events.next()).await.map_err(|_| Error::Silent(patience))?;
        let Some(event) = event else { return Ok(self.ended(watching).await) };
        let heard = match event {
            Ok(WatchEvent::Added(object) | WatchEvent::Modified(object)) => {
                watching.moves_to(version(&object))?;
                Received::Event(Event::Apply(object))
            }
            Ok(WatchEvent::Deleted(object)) => {
                watching.moves_to(version(&object))?;
                Received::Event(Event::Delete(object))
            }
            Ok(WatchEvent::Bookmark(mark)) => {
                watching.moves_to(&mark.metadata.resource_version)?;
                (watching.marked, self.marks) = (true, true);
                Received::Works
            }
            Ok(WatchEvent::Error(status)) => return Err(Error::Reported(status)),
            Err(error) if is_cut(&error) => {
                self.state = State::Doubtful(watching.position.version);
                return Ok(None);
            }
            Err(error) => return Err(Error::Broke(error)),
        };
        self.state = State::Watching(watching);
        Ok(Some(heard))
    }

    /// Handles the end of a watch by the server. A watch that lasted its full time without even a bookmark, although bookmarks came before,
    /// may have started at a version that the server has not reached.
    async fn ended(&mut self, Watching { position, begun, heard, .. }: Watching<K>) -> Option<Received<K>> {
        let lasted = begun.elapsed() + LEAST * 10 >= LIFE;
        if lasted && !heard && self.marks && !position.checked {
            self.state = State::Doubtful(position.version);
            return None;
        }
        if !heard {
            sleep_until(begun + LEAST).await;
        }
        self.state = State::Listed(position);
        lasted.then_some(Received::Works)
    }

    /// Reads the server's current version, and continues only if it is not lower.
    async fn check(&mut self, version: String) -> Result<Option<Received<K>>, Error> {
        // Any object would do, but the RBAC rules may allow only the named one.
        let params = ListParams { limit: Some(1), label_selector: None, ..self.list_params() };
        let list = timeout(PAGE, self.api.list(&params)).await.map_err(|_| Error::Unanswered)?.map_err(Error::List)?;
        let now = list.metadata.resource_version.ok_or(Error::NoVersion)?;
        if is_older(&now, &version) {
            return Err(Error::WentBack(version, now));
        }
        self.state = State::Listed(Position { version, checked: true });
        Ok(None)
    }

    async fn events(&mut self, params: WatchParams, version: &str) -> Result<Events<K>, Error> {
        self.api.watch(&params, version).await.map(StreamExt::boxed).map_err(Error::Start)
    }

    fn list_params(&self) -> ListParams {
        let Selection { labels, fields, .. } = self.selection.clone();
        ListParams { label_selector: labels, field_selector: fields, ..ListParams::default() }
    }

    fn watch_params(&self) -> WatchParams {
        let Selection { labels, fields, .. } = self.selection.clone();
        let timeout = u32::try_from(LIFE.as_secs()).ok();
        WatchParams { label_selector: labels, field_selector: fields, timeout, ..WatchParams::default() }
    }
}

/// The resourceVersion of an object; empty if it has none.
fn version<K: ObjectForm>(object: &K) -> &str {
    object.meta().resource_version.as_deref().unwrap_or_default()
}

/// Whether the connection broke without an error from the server.
fn is_cut(error: &kube::Error) -> bool {
    matches!(error, kube::Error::ReadEvents(_)) && !is_too_long(error)
}

#[cfg(test)]
mod tests;
