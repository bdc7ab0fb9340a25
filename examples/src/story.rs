//! How a demo is told: what happens, until it is over or stopped, and the farewell.

use std::fmt::Debug;
use std::future::pending;

use futures::{StreamExt, TryStreamExt};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

use crate::terminal::say;

/// A demo.
#[allow(async_fn_in_trait, reason = "it runs where it is told")]
pub trait Story {
    /// What is said before everything is taken away.
    const FAREWELL: &'static str;

    /// Makes what it is about, and tells what comes of it.
    ///
    /// # Errors
    /// The server refuses something, or a state is not reached in time.
    async fn run(&self) -> Result<(), String>;

    /// Prints each change of the objects, until it is dropped.
    ///
    /// # Errors
    /// Standard output cannot be written.
    async fn look_on(&self) -> Result<(), String>;

    /// Takes everything away.
    ///
    /// # Errors
    /// The server refuses, or something stays.
    async fn end(&self) -> Result<(), String>;
}

/// The whole story: until it is over, where it is told `once`, or stopped by Ctrl+C.
///
/// # Errors
/// Those of the story.
pub async fn tell<S: Story>(story: &S, once: bool) -> Result<(), String> {
    let told = async {
        story.run().await?;
        if once { Ok(()) } else { pending().await }
    };
    let outcome = tokio::select! {
        outcome = told => outcome,
        outcome = story.look_on() => outcome,
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    if outcome.is_ok() {
        say(&format!("\n{}", S::FAREWELL))?;
    }
    outcome.and(story.end().await)
}

/// Prints a line for each object whose line has changed, until it is dropped.
///
/// # Errors
/// Standard output cannot be written.
pub async fn print_changes<K>(api: Api<K>, line: impl Fn(&K) -> String) -> Result<(), String>
where
    K: Resource + Clone + DeserializeOwned + Debug + Send + 'static,
{
    let stream = watcher(api, watcher::Config::default()).default_backoff().applied_objects();
    let (mut stream, mut last) = (stream.boxed(), String::new());
    loop {
        match stream.try_next().await {
            Ok(Some(object)) if line(&object) != last => {
                last = line(&object);
                say(&last)?;
            }
            Ok(_) => {}
            // The watcher starts again by itself.
            Err(error) => tracing::warn!(%error, "watch"),
        }
    }
}
