//! A running watch: a position in the history, a deadline and bookmarks.

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
use crate::conversion;
use crate::query::Query;
use crate::state::Server;
use crate::store::Change;

/// A running watch.
pub(super) struct Watching {
    server: Arc<Server>,
    frames: Frames,
    /// Lines that are not yet sent.
    lines: VecDeque<Bytes>,
    /// The version at which the watch started.
    begun: u64,
    /// The latest version that the client knows.
    cursor: u64,
    /// The time of the next bookmark, if the client requested bookmarks.
    bookmarks: Option<Instant>,
    /// A bookmark was due before any write. The timer is paused until the next write of any kind.
    quiet: bool,
    marker: Marker,
    deadline: Instant,
    /// Notifies of each change in the scope and of the removal of the kind.
    tip: watch::Receiver<u64>,
    /// Notifies of each write.
    written: watch::Receiver<u64>,
    drops: watch::Receiver<u64>,
    breaks: watch::Receiver<u64>,
    ended: bool,
    /// An error was sent, which is the last line.
    failed: bool,
}

/// The reason why a wait ended.
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
            failed: false,
            server: Arc::clone(server),
            frames,
        }
    }

    pub(super) fn frames(&self) -> &Frames {
        &self.frames
    }

    /// Sets the version after which changes are sent.
    pub(super) fn begin(&mut self, version: u64) {
        (self.begun, self.cursor) = (version, version);
    }

    pub(super) fn added(&mut self, object: &Value) {
        self.lines.extend(self.frames.line("ADDED", object));
    }

    pub(super) fn bookmark(&mut self, marker: Marker) {
        if !self.failed {
            self.lines.extend(self.frames.bookmark(self.cursor, marker));
        }
    }

    /// Marks the first bookmark as the end of the initial events.
    pub(super) fn mark_first_bookmark(&mut self) {
        self.marker = Marker::InitialEnd;
    }

    /// Sends an error and ends the watch.
    pub(super) fn fail(&mut self, failure: &Failure) {
        self.lines.extend(error(failure));
        (self.ended, self.failed) = (true, true);
    }

    pub(super) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        stream::unfold(self, |mut watching| async move {
            let chunk = watching.next().await?;
            Some((chunk, watching))
        })
    }

    /// Returns the next lines, `None` at the end of the watch, or an error if the connection breaks.
    async fn next(&mut self) -> Option<io::Result<Bytes>> {
        loop {
            if !self.lines.is_empty() {
                return Some(Ok(self.taken()));
            }
            if self.ended {
                return None;
            }
            self.tip.mark_unchanged();
            self.advance().await;
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
    async fn advance(&mut self) {
        // Checked before the changes are read, so that the last changes are sent before the end.
        self.ended |= !self.is_served();
        match self.server.store.changes(&self.frames.lens.kind.storage, &self.frames.scope, self.cursor) {
            Ok((changes, tip)) => {
                for change in changes {
                    match self.converted(change).await {
                        Ok(change) => self.lines.extend(self.frames.change(&change)),
                        Err(failure) => return self.fail(&failure),
                    }
                }
                self.cursor = self.cursor.max(tip);
            }
            Err(behind) => {
                let message = format!("too old resource version: {} ({})", self.cursor, behind.oldest);
                self.fail(&Failure::expired(message));
            }
        }
    }

    /// Converts the objects of a change to the version of the watch.
    async fn converted(&self, change: Arc<Change>) -> Result<Arc<Change>, Failure> {
        let lens = &self.frames.lens;
        if lens.kind.webhook().is_none() {
            return Ok(change);
        }
        let mut converted = Change::clone(&change);
        for object in [&mut converted.old, &mut converted.new, &mut converted.gone] {
            if let Some(stored) = object.take() {
                *object = Some(conversion::object(&self.server, lens, stored).await?);
            }
        }
        Ok(Arc::new(converted))
    }

    /// Waits for the next change, timer or end. Returns `Break` if the connection breaks.
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
            Woken::Bookmark => self.due().await,
            Woken::Written => self.rouse(),
            Woken::Broken => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    }

    /// Returns which timer fired: that of the bookmark or the deadline.
    fn timed(&self) -> Woken {
        if Instant::now() < self.deadline { Woken::Bookmark } else { Woken::End }
    }

    /// Returns whether the kind is still served as at the start of the watch.
    fn is_served(&self) -> bool {
        let kind = &self.frames.lens.kind;
        kind.is_builtin() || self.server.catalog().registry.is_current(kind)
    }

    /// Sends a bookmark that is due.
    ///
    /// Without a write since the start of the watch there is no bookmark, as on a real cluster: the client already has
    /// that version.
    async fn due(&mut self) {
        self.server.store.tally.due.add(1);
        self.written.mark_unchanged();
        self.advance().await;
        let marker = std::mem::replace(&mut self.marker, Marker::Plain);
        if self.cursor > self.begun || marker == Marker::InitialEnd {
            self.bookmark(marker);
        }
        self.quiet = self.cursor <= self.begun;
        self.bookmarks = Some(Instant::now() + self.server.options.bookmarks);
    }

    /// Resumes the bookmark timer at the first write after a quiet period, in phase with the original interval.
    fn rouse(&mut self) {
        self.quiet = false;
        let (now, interval) = (Instant::now(), self.server.options.bookmarks);
        if let Some(due) = self.bookmarks.filter(|due| *due <= now) {
            let late = (now - due).as_nanos() % interval.as_nanos().max(1);
            self.bookmarks = Some(now + interval - Duration::from_nanos(u64::try_from(late).unwrap_or_default()));
        }
    }
}
