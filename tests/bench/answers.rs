//! The API server of the figures: answers that were rendered before, so that its work is in no figure.

use std::convert::Infallible;
use std::future::ready;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use kube::client::Body;
use kube::{Client, CustomResourceExt};
use tower::service_fn;

use crate::kind::{NAMESPACE, Release, Sample};

type Answer = UnsyncBoxBody<Bytes, Infallible>;

/// How many objects a page of a list has: what kube asks for.
const PAGE: usize = 500;

/// What the server answers.
#[derive(Clone)]
pub(crate) struct Answers(Arc<Rendered>);

struct Rendered {
    /// The list, in pages.
    pages: Vec<Bytes>,
    /// One event for each object.
    events: Vec<Bytes>,
    /// The end of what a watch may begin at.
    expired: Bytes,
    crd: Bytes,
    watchers: Mutex<Vec<UnboundedSender<Bytes>>>,
}

impl Answers {
    pub(crate) fn render(sample: &Sample, objects: usize) -> Self {
        let pages = (0..objects).collect::<Vec<_>>();
        let pages = pages.chunks(PAGE).enumerate().map(|(at, numbers)| {
            let items: Vec<String> = numbers.iter().map(|number| sample.render(*number, false, number + 1)).collect();
            let more = if (at + 1) * PAGE < objects { format!(",\"continue\":\"{}\"", at + 1) } else { String::new() };
            let head =
                "{\"kind\":\"ReleaseList\",\"apiVersion\":\"bench.evenkeel.dev/v1\",\"metadata\":{\"resourceVersion\":";
            format!("{head}\"{objects}\"{more}}},\"items\":[{}]}}", items.join(",")).into()
        });
        let events = (0..objects).map(|number| {
            let object = sample.render(number, true, objects + number + 1);
            format!("{{\"type\":\"MODIFIED\",\"object\":{object}}}\n").into()
        });
        let expired = "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\
            \"status\":\"Failure\",\"message\":\"too old\",\"reason\":\"Expired\",\"code\":410}}\n";
        Self(Arc::new(Rendered {
            pages: pages.collect(),
            events: events.collect(),
            expired: Bytes::from_static(expired.as_bytes()),
            crd: serde_json::to_string(&Release::crd()).unwrap().into(),
            watchers: Mutex::default(),
        }))
    }

    pub(crate) fn objects(&self) -> usize {
        self.0.events.len()
    }

    /// Sends an event for each object.
    pub(crate) fn change_all(&self) {
        self.send(self.0.events.iter());
    }

    /// Ends the watches as a server does that has forgotten their version: they list again.
    pub(crate) fn forget(&self) {
        self.send([&self.0.expired]);
    }

    fn send<'a>(&self, events: impl IntoIterator<Item = &'a Bytes>) {
        let watchers = self.0.watchers.lock().unwrap();
        let watcher = watchers.last().expect("somebody watches");
        for event in events {
            watcher.unbounded_send(event.clone()).expect("the watch goes on");
        }
    }

    /// A client of this server.
    pub(crate) fn client(&self) -> Client {
        let answers = self.clone();
        let service = service_fn(move |request: Request<Body>| {
            let mut response = None;
            allocation_counter::opt_out(|| response = Some(answers.answer(&request)));
            ready(Ok::<_, Infallible>(response.expect("an answer")))
        });
        Client::new(service, NAMESPACE)
    }

    fn answer(&self, request: &Request<Body>) -> Response<Answer> {
        let query = request.uri().query().unwrap_or_default();
        if request.uri().path().starts_with("/apis/apiextensions.k8s.io") {
            return whole(&self.0.crd);
        }
        assert!(request.method() == http::Method::GET, "nothing is written: {} {}", request.method(), request.uri());
        if query.contains("watch=true") {
            let (sender, events) = unbounded();
            self.0.watchers.lock().unwrap().push(sender);
            return Response::new(stream(events));
        }
        let from = query.split('&').find_map(|pair| pair.strip_prefix("continue="));
        whole(&self.0.pages[from.map_or(0, |page| page.parse().unwrap())])
    }
}

fn whole(text: &Bytes) -> Response<Answer> {
    Response::new(Full::new(text.clone()).boxed_unsync())
}

fn stream(events: UnboundedReceiver<Bytes>) -> Answer {
    StreamBody::new(events.map(|event| Ok::<_, Infallible>(Frame::data(event)))).boxed_unsync()
}
