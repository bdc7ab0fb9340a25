//! Lists objects and watches them from there on, and lists anew whenever it is not certain that nothing was missed.
//!
//! The watcher of kube-runtime goes on from its last version after each failure. The API server has then been away perhaps, and may have
//! another past: where its store was restored or wiped, versions begin anew further down, and a watch from a version that the server has
//! not reached starts well and delivers nothing.

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

/// How long a watch is asked to last: less than the five minutes at which API servers end one that does not say.
pub(super) const LIFE: Duration = Duration::from_secs(290);

/// A watch that has delivered nothing for this long, not even its end, hangs.
const HANGS: Duration = LIFE.saturating_add(Duration::from_secs(5));

/// As [`HANGS`], where bookmarks come: API servers send one each minute.
const HANGS_WITH_BOOKMARKS: Duration = Duration::from_secs(150);

/// How long a page of a list may take. API servers give up after 60 s themselves.
const PAGE: Duration = Duration::from_secs(65);

/// Objects in one page, as client-go asks for them.
const LIMIT: u32 = 500;

/// A watch that ends at once without an event starts again no sooner than this after it began.
const LEAST: Duration = Duration::from_secs(1);

/// What is heard of the objects.
pub(super) enum Received<K> {
    Event(Event<K>),
    /// A bookmark, or an end in good order: the watch works, and has nothing to deliver.
    Works,
}

type Events<K> = BoxStream<'static, kube::Result<WatchEvent<K>>>;

/// A version to go on from, and whether the server is known to have reached it.
#[derive(Debug)]
struct Position {
    version: String,
    checked: bool,
}

enum State<K> {
    /// Nothing is certain.
    Empty,
    /// A list on its way: the rest of a page, the token of the next one, the version of the list.
    Pages {
        objects: VecDeque<K>,
        next: Option<String>,
        version: Option<String>,
    },
    /// The objects that are there come in the watch.
    Initial(Events<K>),
    /// The watch is to begin.
    Listed(Position),
    /// The watch ended, and the server may be another one since.
    Doubtful(String),
    Watching(Watching<K>),
}

struct Watching<K> {
    position: Position,
    events: Events<K>,
    begun: Instant,
    /// Anything came.
    heard: bool,
    /// A bookmark came.
    marked: bool,
}

impl<K> Watching<K> {
    fn from(position: Position, events: Events<K>) -> Self {
        Self { position, events, begun: Instant::now(), heard: false, marked: false }
    }

    fn patience(&self) -> Duration {
        if self.marked { HANGS_WITH_BOOKMARKS } else { HANGS }
    }

    /// Takes the version of what was delivered.
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
    /// Bookmarks have come from this server.
    marks: bool,
}

/// The events of the objects that are there and of all changes from there on. After an error it lists anew; the caller pauses first.
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
    /// One step; what it does not leave behind as a state begins anew.
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
            // No version: as fresh as a list.
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
            // No server deletes what it has not listed yet.
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
                // A busy server asks for fewer requests: what it knows is as it was.
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

    /// The server ended the watch. One that lasted as long as it should, and in which not even a bookmark came though they did before, may
    /// have begun at a version that the server has not reached.
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

    /// Asks the server for its version, and goes on only where that is no lower.
    async fn check(&mut self, version: String) -> Result<Option<Received<K>>, Error> {
        // Any object will do, but a role may allow no others than the one of the name.
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

/// The version of an object; an empty one where it has none.
fn version<K: ObjectForm>(object: &K) -> &str {
    object.meta().resource_version.as_deref().unwrap_or_default()
}

/// Whether the connection was cut, without a word of the server.
fn is_cut(error: &kube::Error) -> bool {
    matches!(error, kube::Error::ReadEvents(_)) && !is_too_long(error)
}

#[cfg(test)]
mod tests;
