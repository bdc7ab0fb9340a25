//! Spans as a collector gets them.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use evenkeel::otlp;
use evenkeel_tests::capture::capture;
use evenkeel_tests::test_env::{Server, World};
use evenkeel_tests::widget::{Lab, Widget, a_widget, definition, is_ready, widget};
use serde_json::json;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;

/// A request: its first line, and its body.
type Sent = (String, Vec<u8>);

/// What a collector was sent.
#[derive(Clone, Default)]
pub(crate) struct Collector(Arc<Mutex<Vec<Sent>>>);

impl Collector {
    pub(crate) fn start() -> (Self, String) {
        let (collector, socket) = (Self::default(), TcpListener::bind("127.0.0.1:0").unwrap());
        let endpoint = format!("http://{}", socket.local_addr().unwrap());
        let inbox = collector.clone();
        std::thread::spawn(move || socket.incoming().for_each(|stream| inbox.take(stream.unwrap())));
        (collector, endpoint)
    }

    fn take(&self, mut stream: TcpStream) {
        let (mut text, mut part) = (Vec::new(), [0; 4096]);
        let (head, length) = loop {
            let read = stream.read(&mut part).unwrap();
            text.extend_from_slice(&part[..read]);
            let Some(end) = text.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            let head = String::from_utf8_lossy(&text[..end]).to_lowercase();
            let length =
                head.split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok()).unwrap_or(0);
            text.drain(..end + 4);
            break (head, length);
        };
        while text.len() < length {
            let read = stream.read(&mut part).unwrap();
            text.extend_from_slice(&part[..read]);
        }
        // Before the answer: once it has that, the test looks at what was sent.
        self.0.lock().unwrap().push((head.lines().next().unwrap().to_owned(), text));
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    }

    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().iter().flat_map(|(_, body)| body.clone()).collect()
    }

    /// How often the text stands in what was sent.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.bytes().windows(text.len()).filter(|window| *window == text.as_bytes()).count()
    }
}

/// The name of a span, as its message holds it: field 5, its length, the text.
pub(crate) fn span(name: &str) -> String {
    format!("*{}{name}", char::from(u8::try_from(name.len()).unwrap()))
}

#[tokio::test]
async fn each_pass_is_exported_as_a_trace_of_its_own_with_steps_and_calls() {
    let world = World::on(Server::InProcess).await.unwrap();
    world.install(&definition()).await;
    let (collector, endpoint) = Collector::start();
    let (layer, exporting) = otlp::layer("tester", &endpoint).unwrap();
    let subscriber = tracing_subscriber::registry().with(EnvFilter::new("evenkeel=info")).with(layer);
    let guard = capture(subscriber);
    let operator = world.operator::<widget>(Lab::at("a"));
    for name in ["a", "b"] {
        world.create::<Widget>(a_widget(name, json!({ "child": "very-private" }))).await;
        world.until::<Widget>(name, "ready", is_ready).await;
    }
    operator.stop().await.unwrap();
    drop(guard);
    exporting.finish().await;
    let paths: Vec<String> = collector.0.lock().unwrap().iter().map(|(line, _)| line.clone()).collect();
    assert!(!paths.is_empty() && paths.iter().all(|line| line == "post /v1/traces http/1.1"), "{paths:?}");
    let spans = ["operator", "pass", "step"].map(|name| collector.count(&span(name)));
    assert_eq!(spans, [0, 2, 4], "the operator would be one trace without an end");
    assert!(collector.count(&span("call")) >= 8, "finalizer, child, status and event of each");
    assert!(collector.count("service.name") > 0 && collector.count("tester") > 0);
    assert_eq!(collector.count("very-private"), 0);
    let traces = roots(&collector.bytes());
    assert_eq!(traces.len(), 2, "each pass is the root of its own: {traces:?}");
}

/// The ids of the traces of which a pass is the root: its trace id (field 1), span id (2), trace state (3), and no parent (4) before its
/// name and flags.
fn roots(bytes: &[u8]) -> BTreeSet<Vec<u8>> {
    let name = span("pass");
    let starts = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(name.as_bytes()));
    let ids = starts.filter_map(|at| {
        let before = bytes[..at].strip_suffix(&[0x1a, 0]).unwrap_or(&bytes[..at]);
        let ids = before.get(before.len().checked_sub(28)?..)?;
        (ids[..2] == [0x0a, 16] && ids[18..20] == [0x12, 8]).then(|| ids[2..18].to_vec())
    });
    ids.collect()
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_used_is_told() {
    let error = otlp::layer::<tracing_subscriber::Registry>("tester", "https://collector").map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "`https://collector` is not an endpoint: write it like http://localhost:4318");
}
