//! The words that the hash of a wiring is built from.
//!
//! The status of each object stores the hash, so these words must not change: a changed word makes an upgrade run the body of every object
//! once. They equal the `Debug` output that was hashed originally, but do not depend on the names of types, fields and variants.

use crate::condition::Polarity;
use crate::dependency::Access;
use crate::wiring::policy::Policies;
use crate::wiring::triggers::{Names, Triggers};
use crate::wiring::{Adopt, Cache, How, Previously, When};

/// `["a", "b"]`
pub(super) fn texts(texts: &[&str]) -> String {
    format!("{texts:?}")
}

/// `[0, 1]`
pub(super) fn places(places: &[usize]) -> String {
    format!("{places:?}")
}

pub(super) fn previously(Previously { managers, finalizers, reconcilers }: &Previously) -> String {
    let names = if reconcilers.is_empty() { String::new() } else { format!(", reconcilers: {}", texts(reconcilers)) };
    format!("Previously {{ managers: {}, finalizers: {}{names} }}", texts(managers), texts(finalizers))
}

pub(super) const fn access(access: Access) -> &'static str {
    match access {
        Access::ByAcl => "ByAcl",
        Access::SameNamespace => "SameNamespace",
    }
}

pub(super) const fn polarity(polarity: Polarity) -> &'static str {
    match polarity {
        Polarity::Positive => "Positive",
        Polarity::Negative => "Negative",
        Polarity::Bipolar => "Bipolar",
    }
}

pub(super) fn triggers(Triggers { labels, annotations }: Triggers) -> String {
    format!("Triggers {{ labels: {}, annotations: {} }}", names(labels), names(annotations))
}

fn names(names: Names) -> String {
    match names {
        Names::All => "All".to_owned(),
        Names::Only(names) => format!("Only({})", texts(names)),
    }
}

pub(super) fn policies(Policies { key, namespace }: Policies) -> String {
    format!("Policies {{ key: {key:?}, namespace: {namespace} }}")
}

pub(super) const fn when(when: When) -> &'static str {
    match when {
        When::Read => "Read",
        When::Before => "Before",
        When::After => "After",
        When::BeforeDelete => "BeforeDelete",
        When::AfterDelete => "AfterDelete",
    }
}

pub(super) fn how(how: How) -> String {
    match how {
        How::Owns => "Owns".to_owned(),
        How::Keeps => "Keeps".to_owned(),
        How::WatchesByName => "WatchesByName".to_owned(),
        How::WatchesLabels(selector) => format!("WatchesLabels({selector:?})"),
        How::Reads => "Reads".to_owned(),
        How::Uses(calls) => {
            let calls: Vec<_> = calls.iter().map(ToString::to_string).collect();
            format!("Uses({calls:?})")
        }
    }
}

pub(super) const fn cache(cache: Cache) -> &'static str {
    match cache {
        Cache::None => "None",
        Cache::Metadata => "Metadata",
        Cache::Full => "Full",
    }
}

pub(super) const fn adopt(adopt: Adopt) -> &'static str {
    match adopt {
        Adopt::Never => "Never",
        Adopt::IfUnowned => "IfUnowned",
        Adopt::Always => "Always",
    }
}
