//! The API server of the benches: pre-rendered answers, so that its work is not measured.

#![allow(clippy::print_stderr, reason = "a bench says why it ends")]

mod collection;

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use bytes::Bytes;
use futures::channel::mpsc::{UnboundedReceiver, unbounded};
use futures::{Stream, StreamExt};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Client;
use kube::client::Body;
use serde_json::Value;
use tower::service_fn;

use self::collection::{Collection, EMPTY, END, event_of};
use crate::kind::NAMESPACE;
use crate::repairs::Repairs;
use crate::sample::Sample;

type Answer = UnsyncBoxBody<Bytes, Infallible>;

/// Runs the work of the server unmeasured: a bench that counts allocations skips them.
pub type Aside = fn(&mut dyn FnMut());

/// The answers of the server.
#[derive(Clone)]
pub struct Answers(Arc<Rendered>);

struct Rendered {
    collections: Vec<Collection>,
    /// The CRD as a get and as a list.
    crd: Bytes,
    crds: Bytes,
    writable: bool,
    /// The number of status writes.
    writes: AtomicUsize,
    /// The children that are changed and repaired, and the position of their kind.
    repairs: Option<(usize, Repairs)>,
    aside: Aside,
}

/// The answer to an event of the program.
const EVENT: &str = "{\"kind\":\"Event\",\"apiVersion\":\"events.k8s.io/v1\",\"metadata\":{},\"eventTime\":null}";
const EXPIRED: &str = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\
    \"status\":\"Failure\",\"message\":\"too old\",\"reason\":\"Expired\",\"code\":410}}\n";

impl Answers {
    /// Renders this many objects of each kind, on pages of this size.
    #[must_use]
    pub fn render(
        samples: &[&Sample],
        crd: &CustomResourceDefinition,
        objects: usize,
        page: usize,
        aside: Aside,
    ) -> Self {
        let collections = samples.iter().map(|sample| Collection::render(sample, objects, page)).collect();
        Self::with(collections, crd, aside)
    }

    /// Serves these objects of each plural, and later versions of some of them. The objects have versions of their own, the changes get later
    /// ones.
    #[must_use]
    pub fn of(kinds: &[(&str, &[Value], &[Value])], crd: &CustomResourceDefinition, page: usize, aside: Aside) -> Self {
        let version = |object: &Value| object["metadata"]["resourceVersion"].as_str()?.parse::<usize>().ok();
        let newest = kinds.iter().flat_map(|(_, listed, _)| *listed).filter_map(version).max().unwrap_or_default();
        let collection = |(plural, listed, changes): &(&str, &[Value], &[Value])| {
            let listed: Vec<String> = listed.iter().map(ToString::to_string).collect();
            let later = changes.iter().enumerate().map(|(at, object)| {
                let mut object = object.clone();
                object["metadata"]["resourceVersion"] = Value::from((newest + at + 1).to_string());
                event_of("MODIFIED", &object.to_string())
            });
            Collection::of(plural, newest, &listed, later.collect(), page)
        };
        Self::with(kinds.iter().map(collection).collect(), crd, aside)
    }

    /// Serves this many objects. Each text is rendered when it is sent, so that the server takes no memory for them.
    #[must_use]
    pub fn lazy(sample: Sample, crd: &CustomResourceDefinition, objects: usize, page: usize, aside: Aside) -> Self {
        Self::with(vec![Collection::lazy(sample, objects, page)], crd, aside)
    }

    fn with(collections: Vec<Collection>, crd: &CustomResourceDefinition, aside: Aside) -> Self {
        let crd = Bytes::from(serde_json::to_string(crd).unwrap());
        let crds = EMPTY.replace("[]", &format!("[{}]", String::from_utf8_lossy(&crd))).into();
        Self(Arc::new(Rendered {
            collections,
            crd,
            crds,
            writable: false,
            writes: AtomicUsize::default(),
            repairs: None,
            aside,
        }))
    }

    /// Serves only this many pages; the others are rendered nevertheless.
    #[must_use]
    pub fn pages(mut self, pages: usize) -> Self {
        for collection in &mut Arc::get_mut(&mut self.0).expect("no client yet").collections {
            collection.served = pages;
        }
        self
    }

    /// Accepts status writes, which change nothing; otherwise a write is an error of the bench.
    ///
    /// # Panics
    /// A client exists already.
    #[must_use]
    pub fn writable(mut self) -> Self {
        Arc::get_mut(&mut self.0).expect("no client yet").writable = true;
        self
    }

    /// Accepts writes of the objects of this kind.
    ///
    /// # Panics
    /// A client exists already.
    #[must_use]
    pub fn repairable(mut self, kind: usize, repairs: Repairs) -> Self {
        Arc::get_mut(&mut self.0).expect("no client yet").repairs = Some((kind, repairs));
        self
    }

    /// Changes an object like another client, whose change the operator is to undo.
    ///
    /// # Panics
    /// The earlier change was not undone.
    pub fn damage(&self, name: &str) {
        let (kind, repairs) = self.0.repairs.as_ref().expect("objects to repair");
        (self.0.aside)(&mut || self.0.collections[*kind].send([repairs.change(name)]));
    }

    /// The number of objects of the first kind.
    #[must_use]
    pub fn objects(&self) -> usize {
        self.0.collections[0].lazy.as_ref().map_or(self.0.collections[0].events.len(), |lazy| lazy.1)
    }

    /// The number of status writes.
    #[must_use]
    pub fn writes(&self) -> usize {
        self.0.writes.load(Relaxed)
    }

    /// Whether the objects of the first kind are watched.
    #[must_use]
    pub fn is_watched(&self) -> bool {
        !self.0.collections[0].watchers.lock().unwrap().is_empty()
    }

    /// Sends an event for this many objects of the kind.
    pub fn change(&self, kind: usize, objects: usize) {
        let collection = &self.0.collections[kind];
        (self.0.aside)(&mut || collection.send(&collection.events[..objects]));
    }

    /// Sends an event for this many objects of the first kind, rendered now.
    ///
    /// # Panics
    /// The objects were rendered before.
    pub fn change_lazy(&self, objects: usize) {
        let collection = &self.0.collections[0];
        (self.0.aside)(&mut || {
            let (sample, all) = &**collection.lazy.as_ref().expect("objects that are rendered when they are sent");
            let events = (0..objects).map(|at| event_of("MODIFIED", &sample.render(at, true, all + at + 1)));
            collection.send(&events.collect::<Vec<_>>());
        });
    }

    /// Sends the event of one object of the kind.
    pub fn change_one(&self, kind: usize, number: usize) {
        let collection = &self.0.collections[kind];
        (self.0.aside)(&mut || collection.send([&collection.events[number]]));
    }

    /// Ends the watches like a server that no longer has their version, so that they list again.
    pub fn forget(&self) {
        (self.0.aside)(&mut || {
            self.0.collections.iter().for_each(|each| each.send([&Bytes::from_static(EXPIRED.as_bytes())]));
        });
    }

    /// Returns a client of this server.
    #[must_use]
    pub fn client(&self) -> Client {
        let answers = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let mut response = None;
            (answers.0.aside)(&mut || response = Some(answers.answer(&request)));
            ready(Ok::<_, Infallible>(response.expect("an answer")))
        });
        Client::new(service, NAMESPACE)
    }

    fn answer(&self, request: &Request<Body>) -> Response<Answer> {
        let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
        if path.starts_with("/apis/apiextensions.k8s.io") {
            return self.definition(path, query);
        }
        if self.0.writable && request.method() == http::Method::PATCH && path.ends_with("/status") {
            self.0.writes.fetch_add(1, Relaxed);
            return self.written(path);
        }
        if let Some(answer) = self.child(request.method(), path) {
            return answer;
        }
        if request.method() == http::Method::POST && path.ends_with("/events") {
            return whole(&Bytes::from_static(EVENT.as_bytes()));
        }
        if request.method() != http::Method::GET {
            // A panic would end only one pass.
            eprintln!("nothing is written in this bench: {} {path}; are the fixtures of today?", request.method());
            std::process::exit(101);
        }
        let collection = self.0.collections.iter().find(|collection| path.ends_with(&collection.plural));
        match collection {
            Some(collection) if query.contains("watch=true") => collection.watch(query),
            Some(collection) => whole(&collection.list(query)),
            None if self.one(path).is_some() => whole(&self.one(path).unwrap_or_default()),
            None if query.contains("sendInitialEvents=true") => {
                let end = futures::stream::iter([Bytes::from_static(END.as_bytes())]);
                Response::new(stream(end.chain(unbounded_for_ever())))
            }
            None if query.contains("watch=true") => Response::new(stream(unbounded_for_ever())),
            None => whole(&Bytes::from_static(EMPTY.as_bytes())),
        }
    }

    /// A read or a write of a child.
    fn child(&self, method: &http::Method, path: &str) -> Option<Response<Answer>> {
        let (kind, repairs) = self.0.repairs.as_ref()?;
        let (object, event) = repairs.request(path, *method == http::Method::PATCH)?;
        self.0.collections[*kind].send(event);
        Some(whole(object))
    }

    /// One object, as it was listed.
    fn one(&self, path: &str) -> Option<Bytes> {
        let (parent, name) = path.rsplit_once('/')?;
        let collection = self.0.collections.iter().find(|collection| parent.ends_with(&collection.plural))?;
        let event = collection.listed.get(name.rsplit('-').next()?.parse::<usize>().ok()?)?;
        Some(event.slice("{\"type\":\"ADDED\",\"object\":".len()..event.len() - 2))
    }

    /// The CRD, which does not change.
    fn definition(&self, path: &str, query: &str) -> Response<Answer> {
        match path.ends_with("/customresourcedefinitions") {
            true if query.contains("watch=true") => Response::new(stream(unbounded_for_ever())),
            true => whole(&self.0.crds),
            false => whole(&self.0.crd),
        }
    }

    /// A write of the status: sends its event, where the sample has one. Without one it returns the unchanged object, and an equal second
    /// write changes nothing.
    fn written(&self, path: &str) -> Response<Answer> {
        let number = path.split('/').rev().nth(1).and_then(|name| name.rsplit('-').next()).unwrap();
        let (number, collection) = (number.parse::<usize>().unwrap(), &self.0.collections[0]);
        let echo = collection.echoes.get(number);
        collection.send(echo.filter(|(_, was_sent)| !was_sent.swap(true, Relaxed)).map(|(event, _)| event));
        let changed = echo.map(|(event, _)| event).or(collection.events.get(number));
        let (start, event) = match changed {
            Some(event) => ("{\"type\":\"MODIFIED\",\"object\":".len(), event),
            None => ("{\"type\":\"ADDED\",\"object\":".len(), &collection.listed[number]),
        };
        whole(&event.slice(start..event.len() - 2))
    }
}

/// A watch without events.
fn unbounded_for_ever() -> UnboundedReceiver<Bytes> {
    let (sender, events) = unbounded();
    std::mem::forget(sender);
    events
}

fn whole(text: &Bytes) -> Response<Answer> {
    Response::new(Full::new(text.clone()).boxed_unsync())
}

fn stream(events: impl Stream<Item = Bytes> + Send + 'static) -> Answer {
    StreamBody::new(events.map(|event| Ok::<_, Infallible>(Frame::data(event)))).boxed_unsync()
}
