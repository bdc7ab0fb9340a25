//! A running watch: a cursor in the history, a deadline, bookmarks.

use std::collections::VecDeque;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream::{self, Stream};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Duration, Instant, sleep_until};

use super::event::{Frames, Marker, error};
use crate::api_error::Failure;
use crate::query::Query;
use crate::state::Server;

/// A running watch.
pub(super) struct Watching {
    server: Arc<Server>,
    frames: Frames,
    /// Lines not yet taken.
    lines: VecDeque<Bytes>,
    /// The version the watch began at.
    begun: u64,
    /// The newest version the watcher knows.
    cursor: u64,
    /// When the next bookmark is due; none when none was asked for.
    bookmarks: Option<Instant>,
    /// A bookmark was due, and nothing had been written: it waits for the next write of any kind instead of the clock.
    quiet: bool,
    marker: Marker,
    deadline: Instant,
    /// Moves with the newest change of the scope, and when the kind ends.
    tip: watch::Receiver<u64>,
    /// Moves with every write.
    written: watch::Receiver<u64>,
    drops: watch::Receiver<u64>,
    breaks: watch::Receiver<u64>,
    ended: bool,
}

/// What ended the wait.
enum Woken {
    Changed,
    Bookmark,
    Written,
    End,
    Broken,
}

impl Watching {
    pub(super) fn new(server: &Arc<Server>, frames: Frames, query: &Query, deadline: Instant) -> Self {
        Watching {
            lines: VecDeque::new(),
            begun: 0,
            cursor: 0,
            bookmarks: query.bookmarks.then(|| Instant::now() + server.options.bookmarks),
            quiet: false,
            marker: Marker::Plain,
            deadline,
            tip: server.store.follow(&frames.lens.kind.storage, &frames.scope),
            written: server.store.tip(),
            drops: server.drops.subscribe(),
            breaks: server.breaks.subscribe(),
            ended: false,
            server: Arc::clone(server),
            frames,
        }
    }

    pub(super) fn frames(&self) -> &Frames {
        &self.frames
    }

    /// Follows the changes after this version.
    pub(super) fn begin(&mut self, version: u64) {
        (self.begun, self.cursor) = (version, version);
    }

    pub(super) fn added(&mut self, object: &Value) {
        self.lines.extend(self.frames.line("ADDED", object));
    }

    pub(super) fn bookmark(&mut self, marker: Marker) {
        self.lines.extend(self.frames.bookmark(self.cursor, marker));
    }

    /// Lets the first bookmark say that the initial events are over.
    pub(super) fn mark_first_bookmark(&mut self) {
        self.marker = Marker::InitialEnd;
    }

    /// Says what is wrong, and ends.
    pub(super) fn fail(&mut self, failure: &Failure) {
        self.lines.extend(error(failure));
        self.ended = true;
    }

    pub(super) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        stream::unfold(self, |mut watching| async move {
            let chunk = watching.next().await?;
            Some((chunk, watching))
        })
    }

    /// The next lines; none when the watch is over, an error where its connection breaks.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if !self.lines.is_empty() {
                return Some(Ok(self.taken()));
            }
            if self.ended {
                return None;
            }
            self.tip.mark_unchanged();
            self.advance();
            if self.lines.is_empty() && !self.ended && self.wait().await.is_break() {
                self.ended = true;
                return Some(Err(io::ErrorKind::ConnectionReset.into()));
            }
        }
    }

    fn taken(&mut self) -> Bytes {
        match self.lines.len() {
            1 => self.lines.pop_front().unwrap_or_default(),
            _ => self.lines.drain(..).collect::<Vec<_>>().concat().into(),
        }
    }

    /// Reads the changes since the cursor.
    fn advance(&mut self) {
        // Asked before the changes are read: the last of them are told before the end.
        self.ended |= !self.is_served();
        match self.server.store.changes(&self.frames.lens.kind.storage, &self.frames.scope, self.cursor) {
            Ok((changes, tip)) => {
                self.lines.extend(changes.iter().filter_map(|change| self.frames.change(change)));
                self.cursor = self.cursor.max(tip);
            }
            Err(behind) => {
                let message = format!("too old resource version: {} ({})", self.cursor, behind.oldest);
                self.fail(&Failure::expired(message));
            }
        }
    }

    /// Waits for what comes next; a break is one of the connection.
    async fn wait(&mut self) -> ControlFlow<()> {
        let bookmark = self.bookmarks.filter(|_| !self.quiet);
        let woken = tokio::select! {
            biased;
            _ = self.breaks.changed() => Woken::Broken,
            _ = self.drops.changed() => Woken::End,
            _ = self.tip.changed() => Woken::Changed,
            _ = self.written.changed(), if self.quiet => Woken::Written,
            () = sleep_until(bookmark.map_or(self.deadline, |due| due.min(self.deadline))) => self.timed(),
        };
        match woken {
            Woken::Changed => self.server.store.tally.woken.add(1),
            Woken::End => self.ended = true,
            Woken::Bookmark => self.due(),
            Woken::Written => self.rouse(),
            Woken::Broken => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// What it is time for: at the deadline the end.
    fn timed(&self) -> Woken {
        if Instant::now() < self.deadline { Woken::Bookmark } else { Woken::End }
    }

    /// Whether the kind is still there.
    fn is_served(&self) -> bool {
        let kind = &self.frames.lens.kind;
        kind.is_builtin() || self.server.catalog().registry.lookup(&kind.group, &kind.version, &kind.plural).is_some()
    }

    /// A bookmark is due. Where nothing was written since the watch began none is sent, as on a cluster: the watcher asked with that
    /// version, and knows it.
    fn due(&mut self) {
        self.server.store.tally.due.add(1);
        self.written.mark_unchanged();
        self.advance();
        let marker = std::mem::replace(&mut self.marker, Marker::Plain);
        if self.cursor > self.begun || marker == Marker::InitialEnd {
            self.bookmark(marker);
        }
        self.quiet = self.cursor <= self.begun;
        self.bookmarks = Some(Instant::now() + self.server.options.bookmarks);
    }

    /// The first write after a quiet time: bookmarks come again, at the moments at which they were due all along.
    fn rouse(&mut self) {
        self.quiet = false;
        let (now, interval) = (Instant::now(), self.server.options.bookmarks);
        if let Some(due) = self.bookmarks.filter(|due| *due <= now) {
            let late = (now - due).as_nanos() % interval.as_nanos().max(1);
            self.bookmarks = Some(now + interval - Duration::from_nanos(u64::try_from(late).unwrap_or_default()));
        }
    }
}
