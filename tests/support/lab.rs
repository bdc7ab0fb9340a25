//! The outside world of the widget operator: what its steps find there, and a log of what they did.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use evenkeel_testkit::eventually;
use kube::ResourceExt;
use tokio::time::sleep;

use crate::test_env::SOON;
use crate::widget::Widget;

/// The external world and the effects on it.
#[derive(Default)]
pub struct Lab {
    revision: Mutex<String>,
    pub(crate) fetches: AtomicUsize,
    pub(crate) cleanups: AtomicUsize,
    log: Mutex<Vec<String>>,
    times: Mutex<Vec<(String, tokio::time::Instant)>>,
    pub(crate) stamps: bool,
    effects: Mutex<BTreeSet<String>>,
    pub(crate) code: AtomicUsize,
    /// Held by a test to block a pass in the fetch step.
    pub hold: tokio::sync::Mutex<()>,
}

impl Lab {
    /// A lab at a revision.
    #[must_use]
    pub fn at(revision: &str) -> Arc<Self> {
        Arc::new(Self { revision: Mutex::new(revision.into()), ..Self::default() })
    }

    /// A lab whose steps write a timestamp into the status.
    #[must_use]
    pub fn stamping() -> Arc<Self> {
        Arc::new(Self { stamps: true, ..Self::default() })
    }

    /// Sets the revision.
    ///
    /// # Panics
    /// Never, unless another test panicked before.
    pub fn move_to(&self, revision: &str) {
        *self.revision.lock().expect("not poisoned") = revision.into();
    }

    /// The number of passes that reached the fetch step.
    #[must_use]
    pub fn passes(&self) -> usize {
        self.fetches.load(Ordering::SeqCst)
    }

    /// The number of cleanups.
    #[must_use]
    pub fn cleanups(&self) -> usize {
        self.cleanups.load(Ordering::SeqCst)
    }

    /// The log lines of the steps, in order: `fetch a`, `store a`, `remove a`.
    ///
    /// # Panics
    /// Never, unless another test panicked before.
    #[must_use]
    pub fn log(&self) -> Vec<String> {
        self.log.lock().expect("not poisoned").clone()
    }

    /// Returns the log and clears it.
    ///
    /// # Panics
    /// Never, unless another test panicked before.
    #[must_use]
    pub fn take_log(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().expect("not poisoned"))
    }

    /// Waits until exactly these lines were logged since the last call, in any order.
    ///
    /// # Panics
    /// Other lines are logged, or too few.
    pub async fn until_logged(&self, lines: &[&str]) {
        eventually(SOON, || async { (self.log().len() >= lines.len()).then_some(()) }).await;
        // No other object is reconciled.
        sleep(Duration::from_millis(500)).await;
        let mut log = self.take_log();
        log.sort();
        assert_eq!(log, lines);
    }

    /// Waits until exactly these lines were logged, in this order, and no more follow.
    ///
    /// # Panics
    /// Other lines are logged, or too few.
    pub async fn settles_at(&self, lines: &[&str]) {
        eventually(SOON, || async { (self.log().len() >= lines.len()).then_some(()) }).await;
        sleep(Duration::from_millis(700)).await;
        assert_eq!(self.log(), lines);
    }

    /// The times between equal lines of the log.
    ///
    /// # Panics
    /// Never, unless another test panicked before.
    #[must_use]
    pub fn pauses(&self, line: &str) -> Vec<Duration> {
        let times = self.times.lock().expect("not poisoned");
        let times: Vec<_> = times.iter().filter(|(logged, _)| logged == line).map(|(_, at)| *at).collect();
        times.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }

    /// Adds a line to the log.
    ///
    /// # Panics
    /// Never, unless another test panicked before.
    pub fn note(&self, line: &str) {
        self.times.lock().expect("not poisoned").push((line.to_owned(), tokio::time::Instant::now()));
        self.log.lock().expect("not poisoned").push(line.to_owned());
    }

    /// The external effects without repetitions.
    ///
    /// # Panics
    /// Never, unless another test panicked before.
    #[must_use]
    pub fn effects(&self) -> BTreeSet<String> {
        self.effects.lock().expect("not poisoned").clone()
    }

    pub(crate) fn affect(&self, effect: String) {
        self.effects.lock().expect("not poisoned").insert(effect);
    }

    /// Activates another revision of the code, which stores other children.
    pub fn run_code(&self, revision: usize) {
        self.code.store(revision, Ordering::SeqCst);
    }

    pub(crate) fn note_step(&self, step: &str, widget: &Widget) {
        self.note(&format!("{step} {}", widget.name_any()));
    }

    pub(crate) fn revision(&self) -> String {
        self.revision.lock().expect("not poisoned").clone()
    }
}
