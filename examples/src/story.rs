//! The course of a demo: it runs until it is over or stopped, and then cleans up.

use std::fmt::Debug;
use std::future::pending;

use futures::{StreamExt, TryStreamExt};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;

use crate::terminal::print_line;

/// A demo.
#[allow(async_fn_in_trait, reason = "its futures run on the current task")]
pub trait Story {
    /// The text that is printed before the cleanup.
    const FAREWELL: &'static str;

    /// Creates the objects and prints the results.
    ///
    /// # Errors
    /// The server rejects a request, or a state is not reached in time.
    async fn run(&self) -> Result<(), String>;

    /// Prints each change of the objects until it is dropped.
    ///
    /// # Errors
    /// Standard output cannot be written.
    async fn look_on(&self) -> Result<(), String>;

    /// Removes all objects.
    ///
    /// # Errors
    /// The server rejects a request, or an object is not removed.
    async fn end(&self) -> Result<(), String>;
}

/// Runs the demo: to its end with `once`, otherwise until Ctrl+C.
///
/// # Errors
/// The errors of the demo.
pub async fn play<S: Story>(story: &S, once: bool) -> Result<(), String> {
    let run = async {
        story.run().await?;
        if once { Ok(()) } else { pending().await }
    };
    let outcome = tokio::select! {
        outcome = run => outcome,
        outcome = story.look_on() => outcome,
        _ = tokio::signal::ctrl_c() => Ok(()),
    };
    if outcome.is_ok() {
        print_line(&format!("\n{}", S::FAREWELL))?;
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
                print_line(&last)?;
            }
            Ok(_) => {}
            // The watcher restarts automatically.
            Err(error) => tracing::warn!(%error, "watch"),
        }
    }
}
