//! Replays one case against a server, step by step.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use http_body_util::BodyExt;
use kube::client::Body;
use serde_json::Value;

use crate::binding::{Bindings, unbound};
use crate::case::{Case, Collect, Exchange, Fixtures, Step, Watch};
use crate::compare::{self, Answer};
use crate::ensure;
use crate::pending::Excused;
use crate::server::{Clients, Pace};
use crate::stream::{Next, Stream, parse};

/// Step number and first difference of the step.
pub(crate) type Differences = BTreeMap<usize, String>;

struct Replay<'a> {
    clients: &'a Clients,
    pace: Pace,
    bindings: Bindings,
    streams: HashMap<String, Stream>,
}

/// Replays all steps and returns those that differ. Steps in `excused` are expected to differ, so their waits are short.
pub(crate) async fn replay(
    case: &Case,
    clients: &Clients,
    pace: Pace,
    fixtures: &Fixtures,
    excused: &Excused,
) -> Differences {
    let mut replay = Replay { clients, pace, bindings: Bindings::new(clients.writers), streams: HashMap::new() };
    let mut differences = Differences::new();
    if let Err(difference) = ensure::arrange(&clients.admin, case, fixtures).await {
        differences.insert(0, difference);
    }
    for (number, step) in case.steps.iter().enumerate() {
        replay.pace = if excused.covers(number) { pace.hurried() } else { pace };
        forget_the_past(case, number, clients);
        let verdict = match step {
            Step::Ensure(ensure) => ensure::exists(&clients.admin, ensure, fixtures).await,
            Step::Request(request) => replay.request(&request.method, &request.exchange).await,
            Step::Watch(watch) => replay.watch(watch).await,
            Step::Collect(collect) => replay.collect(collect).await,
            Step::Facts { .. } => Ok(()),
        };
        differences.extend(verdict.err().map(|difference| (number, difference)));
    }
    differences
}

/// The response of a server to each request of a case, for the recorder; streams are not recorded.
pub(crate) async fn answers(
    case: &Case,
    clients: &Clients,
    pace: Pace,
    fixtures: &Fixtures,
) -> Result<BTreeMap<usize, Answer>, String> {
    let mut replay = Replay { clients, pace, bindings: Bindings::new(clients.writers), streams: HashMap::new() };
    let mut answers = BTreeMap::new();
    for (number, step) in case.steps.iter().enumerate() {
        match step {
            Step::Ensure(ensure) => ensure::exists(&clients.admin, ensure, fixtures).await?,
            Step::Request(request) => {
                let answer = replay.exchange(&request.method, &request.exchange).await;
                answers.insert(number, answer.map_err(|error| format!("step {number}: {error}"))?);
            }
            Step::Watch(_) | Step::Collect(_) => return Err(format!("step {number}: streams are not recorded")),
            Step::Facts { .. } => {}
        }
    }
    Ok(answers)
}

/// The recording servers had compacted their first versions; the embedded server compacts on request.
fn forget_the_past(case: &Case, step: usize, clients: &Clients) {
    let then = [("watch/expired-cr@full", 3), ("watch/expired-cr@modern", 3), ("watch/start-errors@full", 2)];
    if let Some(cluster) = clients.cluster.as_ref().filter(|_| then.contains(&(case.label().as_str(), step))) {
        cluster.compact();
    }
}

impl Replay<'_> {
    /// Reads are repeated for a while, since controllers (garbage collector, namespaces, CRDs) work asynchronously.
    async fn request(&mut self, method: &str, exchange: &Exchange) -> Result<(), String> {
        let since = Instant::now();
        loop {
            let answer = self.exchange(method, exchange).await?;
            let mut bindings = self.bindings.clone();
            let verdict = compare::answer(&mut bindings, &exchange.response, &answer);
            if verdict.is_ok() || method != "GET" || since.elapsed() > self.pace.settle {
                self.bindings = bindings;
                return verdict;
            }
            tokio::time::sleep(self.pace.retry).await;
        }
    }

    async fn exchange(&mut self, method: &str, exchange: &Exchange) -> Result<Answer, String> {
        let response = self.send(method, exchange).await?;
        let moved = response.headers().get("Location").filter(|_| response.status() == 301);
        let response = match moved.and_then(|location| location.to_str().ok()) {
            // The client of the recorder followed redirects.
            Some(location) => {
                let again = http::Request::get(location).body(Body::empty()).unwrap();
                self.clients.admin.send(again).await.map_err(|error| error.to_string())?
            }
            None => response,
        };
        self.receive(response).await
    }

    async fn receive(&self, response: http::Response<Body>) -> Result<Answer, String> {
        let (parts, body) = response.into_parts();
        let collected = tokio::time::timeout(self.pace.answer, body.collect()).await;
        let collected = collected.map_err(|_| "the answer does not end")?;
        let bytes = collected.map_err(|error| error.to_string())?.to_bytes();
        let is_yaml = parts.headers.get("Content-Type").is_some_and(|media| media == "application/yaml");
        let body = if is_yaml { compare::yaml(&String::from_utf8_lossy(&bytes)) } else { parse(&bytes) };
        Ok(Answer { status: parts.status.as_u16(), headers: parts.headers, body })
    }

    async fn send(&mut self, method: &str, exchange: &Exchange) -> Result<http::Response<Body>, String> {
        let live = self.observe(exchange).await;
        let request = self.build(method, exchange, &live)?;
        self.bindings.forget("<rv:current>");
        let client = self.clients.of(exchange);
        let answer = tokio::time::timeout(self.pace.answer, client.send(request)).await;
        answer.map_err(|_| "no answer".to_owned())?.map_err(|error| error.to_string())
    }

    fn build(&self, method: &str, exchange: &Exchange, live: &Value) -> Result<http::Request<Body>, String> {
        let mut uri = self.bindings.resolve(&exchange.path);
        for (index, (key, value)) in exchange.query.iter().enumerate() {
            uri.push(if index == 0 { '?' } else { '&' });
            uri.push_str(&format!("{key}={}", escape(&self.version(value))));
        }
        let mut request = http::Request::builder().method(method).uri(uri);
        let usual = [("Content-Type", "application/json"), ("Accept", "application/json"), ("User-Agent", "conf/1")];
        for (name, value) in usual.into_iter().filter(|(name, _)| !exchange.headers.contains_key(*name)) {
            request = request.header(name, value);
        }
        for (name, value) in &exchange.headers {
            if let Some(value) = value {
                request = request.header(name, self.bindings.resolve(value));
            }
        }
        let body = match &exchange.body {
            None => Vec::new(),
            Some(Value::String(raw)) => self.bindings.resolve(raw).into_bytes(),
            Some(json) => self.bindings.resolve_all(json, live).to_string().into_bytes(),
        };
        request.body(Body::from(body)).map_err(|error| format!("{error}: no earlier answer told what to ask for"))
    }

    /// A version without an earlier response is one from before the case.
    fn version(&self, value: &str) -> String {
        let resolved = self.bindings.resolve(value);
        if resolved.starts_with("<rv:") { "1".to_owned() } else { resolved }
    }

    /// Reads values from the server that no earlier response contained: the current version, uid and times of the object.
    async fn observe(&mut self, exchange: &Exchange) -> Value {
        let text = exchange.body.as_ref().map(Value::to_string).unwrap_or_default();
        let missing: Vec<&str> = unbound(&text).filter(|name| self.bindings.resolve(name) == **name).collect();
        if missing.is_empty() && !text.contains("<time>") {
            return Value::Null;
        }
        let request = http::Request::get(self.bindings.resolve(&exchange.path)).body(Body::empty());
        let Ok(request) = request else { return Value::Null };
        let Ok(response) = self.clients.admin.send(request).await else { return Value::Null };
        let Ok(answer) = self.receive(response).await else { return Value::Null };
        for name in missing {
            let field = if name.starts_with("<uid") { "uid" } else { "resourceVersion" };
            if let Some(value) = answer.body["metadata"][field].as_str() {
                self.bindings.observe(name, value);
            }
        }
        answer.body
    }

    async fn watch(&mut self, watch: &Watch) -> Result<(), String> {
        let response = self.send("GET", &watch.exchange).await?;
        if response.status() == 200 && watch.exchange.response.status == 200 {
            self.streams.insert(watch.watch.clone(), Stream::open(response.into_body()));
            return Ok(());
        }
        let answer = self.receive(response).await?;
        compare::answer(&mut self.bindings, &watch.exchange.response, &answer)
    }

    async fn collect(&mut self, collect: &Collect) -> Result<(), String> {
        let Some(stream) = self.streams.get_mut(&collect.collect) else {
            // A rejected watch counts as a stream that ended without events.
            let none = collect.events.is_empty() && collect.ended;
            return if none { Ok(()) } else { Err("the stream was not opened".to_owned()) };
        };
        let mut verdict = Ok(());
        for (index, expected) in collect.events.iter().enumerate() {
            let patience = if is_plain_bookmark(expected) { self.pace.bookmark } else { self.pace.event };
            let event = loop {
                match stream.next(patience).await {
                    // A bookmark may arrive at any time.
                    Next::Event(event) if is_plain_bookmark(&event) && !is_plain_bookmark(expected) => {}
                    Next::Event(event) => break event,
                    Next::End => {
                        return verdict.and(Err(format!("event {index}: the stream ended")));
                    }
                    Next::Silence => {
                        return verdict.and(Err(format!("event {index}: nothing came")));
                    }
                }
            };
            let this = compare::event(&mut self.bindings, expected, &event);
            verdict = verdict.and(this.map_err(|difference| format!("event {index}{difference}")));
        }
        verdict.and(rest(stream, collect.ended, self.pace).await)
    }
}

/// Checks that no further events arrive, and that the stream is open or ended as recorded.
async fn rest(stream: &mut Stream, ended: bool, pace: Pace) -> Result<(), String> {
    let patience = if ended { pace.answer } else { pace.quiet };
    loop {
        match (stream.next(patience).await, ended) {
            (Next::Event(event), _) if is_plain_bookmark(&event) => {}
            (Next::Event(event), _) => return Err(format!("one event more: {event}")),
            (Next::End, true) | (Next::Silence, false) => return Ok(()),
            (Next::End, false) => return Err("the stream ended".to_owned()),
            (Next::Silence, true) => return Err("the stream did not end".to_owned()),
        }
    }
}

fn is_plain_bookmark(event: &Value) -> bool {
    let object = &event["object"];
    let marks = [&object["metadata"]["annotations"], &object["rows"][0]["object"]["metadata"]["annotations"]];
    event["type"] == "BOOKMARK" && marks.iter().all(|annotations| annotations["k8s.io/initial-events-end"].is_null())
}

fn escape(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
