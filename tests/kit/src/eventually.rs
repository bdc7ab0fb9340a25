//! Functions that wait for a condition.

use std::fmt::Debug;
use std::panic::Location;
use std::time::Duration;

use kube::Api;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, sleep};

use crate::diff::diff;

/// The initial pause between two attempts.
const STEP: Duration = Duration::from_millis(10);
/// The pause grows to this fraction of the elapsed time, so that hours of virtual time need few attempts.
const SHARE: u32 = 100;
/// The same fraction if an attempt reads an object. It is larger, since a sweep waits hundreds of times.
const READING: u32 = 5;

/// Polls a function until it returns `Some`, and returns the value.
///
/// Under paused time the wait is virtual. If [`eventually_eq`] or [`until`] fails, the message also shows the last value.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use std::time::Duration;
/// use evenkeel_testkit::eventually;
///
/// let answer = eventually(Duration::from_secs(1), || async { Some(42) }).await;
/// assert_eq!(answer, 42);
/// # }
/// ```
///
/// # Panics
/// Panics if there is no value within `timeout`, which is measured by tokio's clock.
#[track_caller]
pub fn eventually<T, F, Fut>(timeout: Duration, mut look: F) -> impl Future<Output = T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Option<T>>,
{
    let caller = Location::caller();
    async move {
        match attempt(timeout, SHARE, async || look().await).await {
            Some(answer) => answer,
            None => panic!("{caller}: nothing came of it within {timeout:?}"),
        }
    }
}

/// Polls a function until it returns the expected value.
///
/// ```
/// # #[tokio::main(flavor = "current_thread", start_paused = true)]
/// # async fn main() {
/// use std::time::Duration;
/// use evenkeel_testkit::eventually_eq;
/// use tokio::time::Instant;
///
/// let began = Instant::now();
/// eventually_eq(Duration::from_secs(3600), 30, || async { began.elapsed().as_secs() / 60 }).await;
/// # }
/// ```
///
/// # Panics
/// Panics if it does not return the expected value within `timeout`. The message shows the difference to the last value.
#[track_caller]
pub fn eventually_eq<T, F, Fut>(timeout: Duration, wanted: T, mut look: F) -> impl Future<Output = ()>
where
    T: PartialEq + Debug,
    F: FnMut() -> Fut,
    Fut: Future<Output = T>,
{
    let caller = Location::caller();
    async move {
        let mut last = None;
        let seen = attempt(timeout, SHARE, async || {
            let seen = look().await;
            let is_equal = seen == wanted;
            last = Some(seen);
            is_equal.then_some(())
        });
        if seen.await.is_none() {
            let last = last.map_or_else(String::new, |last| format!("{last:#?}"));
            let difference = diff(&format!("{wanted:#?}"), &last).unwrap_or(last);
            panic!("{caller}: not within {timeout:?}: - wanted, + seen last\n{difference}");
        }
    }
}

/// Reads an object until a predicate holds for it, and returns the object.
///
/// ```
/// # use evenkeel_testkit::{Cluster, until};
/// # use k8s_openapi::api::core::v1::Namespace;
/// # use kube::Api;
/// # use std::time::Duration;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let namespaces: Api<Namespace> = Api::all(Cluster::start().await.client());
/// until(&namespaces, "default", Duration::from_secs(1), |namespace| namespace.metadata.uid.is_some()).await;
/// # }
/// ```
///
/// # Panics
/// Panics if the predicate does not hold within `timeout`. The message contains the last state of the object and how it
/// changed since the first read.
#[track_caller]
pub fn until<K, F>(api: &Api<K>, name: &str, timeout: Duration, test: F) -> impl Future<Output = K> + use<K, F>
where
    K: Clone + Debug + Serialize + DeserializeOwned,
    F: Fn(&K) -> bool,
{
    let (caller, api, name) = (Location::caller(), api.clone(), name.to_owned());
    async move {
        let (mut first, mut last) = (None, None);
        let found = attempt(timeout, READING, async || match api.get_opt(&name).await {
            Ok(Some(object)) if test(&object) => Some(object),
            other => {
                first.get_or_insert_with(|| shown(&other));
                last = Some(other);
                None
            }
        });
        match found.await {
            Some(object) => object,
            None => {
                let last = last.as_ref().map(shown).unwrap_or_default();
                let changed = first.and_then(|first| diff(&first, &last)).unwrap_or("  nothing".to_owned());
                panic!(
                    "{caller}: {name} is not as wanted within {timeout:?}\nchanged meanwhile:\n{changed}\nnow:\n{last}"
                )
            }
        }
    }
}

fn shown<K: Serialize>(object: &kube::Result<Option<K>>) -> String {
    match object {
        Ok(Some(object)) => serde_saphyr::to_string(object).unwrap_or_else(|error| error.to_string()),
        Ok(None) => "it is not there".to_owned(),
        Err(error) => format!("it cannot be read: {error}"),
    }
}

async fn attempt<T>(timeout: Duration, share: u32, mut look: impl AsyncFnMut() -> Option<T>) -> Option<T> {
    let began = Instant::now();
    loop {
        if let Some(answer) = look().await {
            return Some(answer);
        }
        let passed = began.elapsed();
        if passed >= timeout {
            return None;
        }
        sleep(STEP.max(passed / share).min(timeout - passed)).await;
    }
}
