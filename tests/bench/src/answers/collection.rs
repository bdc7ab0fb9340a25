//! The objects of one kind, rendered as lists and events.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use http::Response;

use super::{Answer, stream};
use crate::sample::Sample;

/// The objects of one kind.
pub(super) struct Collection {
    pub(super) plural: String,
    /// The list in pages; the second text of each is used if it is the last page.
    pub(super) pages: Vec<(Bytes, Bytes)>,
    /// The number of pages for the client, and the objects per page.
    pub(super) served: usize,
    pub(super) page: usize,
    /// An event for each listed object, for streaming lists.
    pub(super) listed: Arc<[Bytes]>,
    /// The sample and the number of the objects, if each is rendered when it is sent.
    pub(super) lazy: Option<Arc<(Sample, usize)>>,
    /// One event for each object.
    pub(super) events: Vec<Bytes>,
    /// The event of the write that follows it, for each object, and whether it was sent; empty if nothing is written.
    pub(super) echoes: Vec<(Bytes, AtomicBool)>,
    pub(super) watchers: Mutex<Vec<UnboundedSender<Bytes>>>,
}

impl Collection {
    pub(super) fn render(sample: &Sample, objects: usize, page: usize) -> Self {
        let numbers = || 0..objects.min(sample.at_most);
        let listed: Vec<String> = numbers().map(|number| sample.render(number, false, number + 1)).collect();
        // The versions of a change and of its write: all changes first, or each write after its change.
        let later = |number: usize| match sample.in_turn {
            false => [objects + number + 1, 2 * objects + number + 1],
            true => [objects + 2 * number + 1, objects + 2 * number + 2],
        };
        let events: Vec<String> = numbers().map(|number| sample.render(number, true, later(number)[0])).collect();
        let echoes = numbers().filter_map(|number| sample.written(number, later(number)[1]));
        let echoes: Vec<_> = echoes.map(|object| (event_of("MODIFIED", &object), AtomicBool::default())).collect();
        echoes.iter().for_each(|(text, _)| drop(text.clone()));
        let events = events.iter().map(|object| event_of(sample.event, object)).collect();
        Self { echoes, ..Self::of(sample.plural, objects, &listed, events, page) }
    }

    /// The collection of these objects, as of this version, with events of some.
    pub(super) fn of(plural: &str, version: usize, listed: &[String], events: Vec<Bytes>, page: usize) -> Self {
        let pages = listed.chunks(page).enumerate().map(|(at, items)| {
            let items = items.join(",");
            (list_of(version, Some(at + 1), &items), list_of(version, None, &items))
        });
        let pages: Vec<_> = pages.collect();
        let listed: Arc<[Bytes]> = listed.iter().map(|object| event_of("ADDED", object)).collect();
        // The first clone of a text allocates its reference count.
        listed.iter().for_each(|text| drop(text.clone()));
        let watchers = Mutex::default();
        Self {
            plural: plural.to_owned(),
            served: pages.len(),
            page,
            listed,
            events,
            lazy: None,
            echoes: Vec::new(),
            pages,
            watchers,
        }
    }

    /// The collection of this many objects. Each is rendered when it is sent.
    pub(super) fn lazy(sample: Sample, objects: usize, page: usize) -> Self {
        let empty = Self::of(sample.plural, objects, &[], Vec::new(), page);
        Self { served: objects.div_ceil(page), lazy: Some(Arc::new((sample, objects))), ..empty }
    }

    pub(super) fn list(&self, query: &str) -> Bytes {
        let from = query.split('&').find_map(|pair| pair.strip_prefix("continue="));
        let at: usize = from.map_or(0, |page| page.parse().unwrap());
        if let Some(lazy) = &self.lazy {
            return lazy_page(lazy, at, self.page);
        }
        let Some((whole, last)) = self.pages.get(at) else { return Bytes::from_static(EMPTY.as_bytes()) };
        if at + 1 == self.served { last.clone() } else { whole.clone() }
    }

    pub(super) fn watch(&self, query: &str) -> Response<Answer> {
        let (sender, events) = unbounded();
        self.watchers.lock().unwrap().push(sender);
        if !query.contains("sendInitialEvents=true") {
            return Response::new(stream(events));
        }
        if let Some(lazy) = self.lazy.clone() {
            let all = (0..lazy.1).map(move |at| event_of("ADDED", &lazy.0.render(at, false, at + 1)));
            let all = all.chain([Bytes::from_static(END.as_bytes())]);
            return Response::new(stream(futures::stream::iter(all).chain(events)));
        }
        let (listed, count) = (self.listed.clone(), self.listed.len().min(self.served * self.page));
        // One at a time, so that the measured thread frees nothing.
        let all = (0..count).map(move |at| listed[at].clone()).chain([Bytes::from_static(END.as_bytes())]);
        Response::new(stream(futures::stream::iter(all).chain(events)))
    }

    pub(super) fn send<'a>(&self, events: impl IntoIterator<Item = &'a Bytes>) {
        let watchers = self.watchers.lock().unwrap();
        let watcher = watchers.last().expect("somebody watches");
        for event in events {
            watcher.unbounded_send(event.clone()).expect("the watch goes on");
        }
    }
}

/// One page of a list whose objects are rendered now.
fn lazy_page((sample, objects): &(Sample, usize), at: usize, page: usize) -> Bytes {
    let end = ((at + 1) * page).min(*objects);
    let items: Vec<String> = (at * page..end).map(|number| sample.render(number, false, number + 1)).collect();
    list_of(*objects, (end < *objects).then_some(at + 1), &items.join(","))
}

/// The text of a list, or of a page that another one follows.
fn list_of(version: usize, next: Option<usize>, items: &str) -> Bytes {
    let more = next.map(|next| format!(",\"continue\":\"{next}\"")).unwrap_or_default();
    let head = "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":";
    Bytes::from(format!("{head}\"{version}\"{more}}},\"items\":[{items}]}}"))
}

pub(super) fn event_of(type_: &str, object: &str) -> Bytes {
    Bytes::from(format!("{{\"type\":\"{type_}\",\"object\":{object}}}\n"))
}

/// The bookmark at the end of the initial events.
pub(super) const END: &str = "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Release\",\"apiVersion\":\"bench.evenkeel.dev/v1\",\
    \"metadata\":{\"resourceVersion\":\"1\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n";
pub(super) const EMPTY: &str =
    "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"1\"},\"items\":[]}";
