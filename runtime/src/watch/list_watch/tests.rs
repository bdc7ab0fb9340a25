//! The requests of a list and watch, the events from the responses, and the responses that end a watch.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::stream;
use http::{Request, Response};
use http_body::{Body, Frame};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use kube::core::ApiResource;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::*;
use crate::client::decode::Whole;

fn watching() -> Watching<ConfigMap> {
    let position = Position { version: "5".into(), checked: true };
    Watching::from(position, stream::empty().boxed())
}

#[test]
fn the_watch_version_only_moves_forward() {
    let mut watching = watching();
    assert!(watching.moves_to("5").is_ok(), "an event may repeat the version");
    assert_eq!((&*watching.position.version, watching.position.checked, watching.heard), ("5", false, true));
    assert!(watching.moves_to("7").is_ok());
    assert_eq!(watching.position.version, "7");
    assert!(matches!(watching.moves_to("6"), Err(Error::WentBack(from, to)) if (&*from, &*to) == ("7", "6")));
    assert!(matches!(watching.moves_to(""), Err(Error::NoVersion)));
    assert_eq!(watching.position.version, "7");
}

#[test]
fn bookmarks_shorten_the_silence_timeout() {
    let mut watching = watching();
    assert_eq!(watching.patience(), HANGS);
    watching.marked = true;
    assert_eq!(watching.patience(), HANGS_WITH_BOOKMARKS);
}

#[test]
fn a_too_long_line_is_no_broken_connection() {
    let broken = |text: &str| kube::Error::ReadEvents(std::io::Error::other(text.to_owned()));
    assert!(is_cut(&broken("connection reset by peer")));
    assert!(!is_cut(&kube::Error::ReadEvents(std::io::Error::other(crate::client::LineTooLong))));
    assert!(!is_cut(&kube::Error::LinesCodecMaxLineLengthExceeded));
}

/// A response: its lines, each with the delay in seconds after the previous one. An empty last line ends the response.
type Answer = Vec<(u64, Value)>;

/// The body of a response.
struct Lines(BoxStream<'static, Bytes>);

impl Body for Lines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_next_unpin(cx).map(|line| line.map(|line| Ok(Frame::data(line))))
    }
}

fn lines(answer: Answer) -> Lines {
    let lines = stream::iter(answer).then(|(after, line)| async move {
        sleep(Duration::from_secs(after)).await;
        Bytes::from(if line.is_null() { String::new() } else { format!("{line}\n") })
    });
    Lines(lines.boxed())
}

/// A list and watch on a server with these responses.
struct Bench {
    heard: BoxStream<'static, Result<Received<Whole>, Error>>,
    asked: Arc<Mutex<Vec<String>>>,
    start: Instant,
}

impl Bench {
    fn new(streams: bool, answers: impl IntoIterator<Item = Answer>) -> Self {
        let (answers, asked) =
            (Mutex::new(answers.into_iter().collect::<VecDeque<_>>()), Arc::<Mutex<Vec<_>>>::default());
        let note = asked.clone();
        let service = tower::service_fn(move |request: Request<kube::client::Body>| {
            note.lock().unwrap().push(request.uri().to_string());
            let answer = answers.lock().unwrap().pop_front();
            async move {
                match answer {
                    Some(answer) => Ok::<_, Infallible>(Response::new(lines(answer))),
                    None => std::future::pending().await,
                }
            }
        });
        let api = Api::all_with(Client::new(service, "default"), &ApiResource::erase::<ConfigMap>(&()));
        let selection = Selection { labels: Some("a=b".into()), fields: Some("metadata.name=x".into()), streams };
        Self { heard: list_watch(api, selection).boxed(), asked, start: Instant::now() }
    }

    /// The next event as text, with the seconds since the start. An error is in `Debug` form.
    async fn hear(&mut self) -> (String, u64) {
        let name = |object: Whole| object.0.metadata.name.clone().unwrap_or_default();
        let text = match timeout(24 * HANGS, self.heard.next()).await.expect("something is heard").unwrap() {
            Ok(Received::Works) => "works".to_owned(),
            Ok(Received::Event(Event::Init)) => "init".to_owned(),
            Ok(Received::Event(Event::InitApply(object))) => format!("there is {}", name(object)),
            Ok(Received::Event(Event::InitDone)) => "listed".to_owned(),
            Ok(Received::Event(Event::Apply(object))) => format!("now {}", name(object)),
            Ok(Received::Event(Event::Delete(object))) => format!("without {}", name(object)),
            Err(error) => format!("{error:?}"),
        };
        (text, self.start.elapsed().as_secs())
    }

    async fn hears(&mut self, all: &[(&str, u64)]) {
        for (text, at) in all {
            assert_eq!(self.hear().await, ((*text).to_owned(), *at));
        }
    }

    /// The parameters of the queries so far.
    fn asked(&self) -> Vec<Vec<String>> {
        let asked = self.asked.lock().unwrap();
        let query = |uri: &String| {
            uri.split_once('?').unwrap().1.split('&').filter(|one| !one.is_empty()).map(str::to_owned).collect()
        };
        asked.iter().map(query).collect()
    }
}

fn map(name: &str, version: u64) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name, "resourceVersion": version.to_string() } })
}

fn event(kind: &str, object: &Value) -> Value {
    json!({ "type": kind, "object": object })
}

fn bookmark(version: u64, annotations: &Value) -> Value {
    let metadata = json!({ "resourceVersion": version.to_string(), "annotations": annotations });
    event("BOOKMARK", &json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata }))
}

fn list(items: &[Value], next: &str, version: u64) -> Answer {
    let metadata = json!({ "continue": next, "resourceVersion": version.to_string() });
    vec![(0, json!({ "apiVersion": "v1", "kind": "ConfigMapList", "metadata": metadata, "items": items }))]
}

const SELECTED: [&str; 2] = ["labelSelector=a%3Db", "fieldSelector=metadata.name%3Dx"];

#[tokio::test(start_paused = true)]
async fn objects_are_listed_in_pages_and_then_watched() {
    let changes = vec![(5, event("MODIFIED", &map("a", 8))), (5, event("DELETED", &map("b", 9)))];
    let mut bench = Bench::new(false, [list(&[map("a", 5)], "t", 7), list(&[map("b", 6)], "", 7), changes]);
    bench
        .hears(&[("init", 0), ("there is a", 0), ("there is b", 0), ("listed", 0), ("now a", 5), ("without b", 10)])
        .await;
    let asked = bench.asked();
    assert_eq!(asked.len(), 3);
    for (query, more) in asked.iter().zip([
        &["limit=500"][..],
        &["limit=500", "continue=t"],
        &["watch=true", "timeoutSeconds=290", "allowWatchBookmarks=true", "resourceVersion=7"],
    ]) {
        let (mut query, mut wanted): (Vec<&str>, Vec<&str>) =
            (query.iter().map(|one| &**one).collect(), SELECTED.iter().chain(more).copied().collect());
        query.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(query, wanted);
    }
}

#[tokio::test(start_paused = true)]
async fn an_empty_watch_restarts_after_a_second() {
    let change = |version| vec![(0, event("ADDED", &map("a", version)))];
    let mut bench = Bench::new(false, [list(&[], "", 7), vec![], change(8), change(9), vec![]]);
    bench.hears(&[("init", 0), ("listed", 0), ("now a", 1), ("now a", 1)]).await;
    let from = |version: &str| format!("resourceVersion={version}");
    let asked = bench.asked();
    for (query, version) in asked[1..].iter().zip(["7", "7", "8"]) {
        assert!(query.contains(&from(version)), "{query:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_watch_is_followed_by_a_version_check() {
    let silent = || vec![(LIFE.as_secs(), Value::Null)];
    let spoke = vec![(0, bookmark(8, &json!({})))];
    let mut bench = Bench::new(false, [list(&[], "", 7), spoke, silent(), list(&[], "", 8), silent(), silent()]);
    bench.hears(&[("init", 0), ("listed", 0), ("works", 0), ("works", 580)]).await;
    let asked = bench.asked();
    let is_watch = |query: &[String]| query.iter().any(|one| one == "watch=true");
    assert_eq!(asked.iter().map(|query| is_watch(query)).collect::<Vec<_>>(), [false, true, true, false, true]);
    let mut check = asked[3].clone();
    check.sort_unstable();
    assert_eq!(check, [SELECTED[1], "limit=1"], "any object will do");
    assert!(asked[4].contains(&"resourceVersion=8".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_went_back_is_relisted() {
    let silent = vec![(LIFE.as_secs(), Value::Null)];
    let spoke = vec![(0, bookmark(8, &json!({})))];
    let mut bench = Bench::new(false, [list(&[], "", 7), spoke, silent, list(&[], "", 3), list(&[], "", 3)]);
    let error = r#"WentBack("8", "3")"#;
    bench.hears(&[("init", 0), ("listed", 0), ("works", 0), (error, 290), ("init", 290), ("listed", 290)]).await;
}

#[tokio::test(start_paused = true)]
async fn a_streaming_list_ends_with_its_bookmark() {
    let end = json!({ "k8s.io/initial-events-end": "true" });
    let mut bench = Bench::new(
        true,
        [vec![
            (0, event("ADDED", &map("a", 5))),
            (1, bookmark(6, &json!({ "other": "true" }))),
            (1, bookmark(7, &end)),
            (1, event("ADDED", &map("b", 8))),
        ]],
    );
    bench.hears(&[("init", 0), ("there is a", 0), ("listed", 2), ("now b", 3)]).await;
    assert!(bench.asked()[0].contains(&"sendInitialEvents=true".to_owned()));
    let mut cut = Bench::new(true, [vec![(0, event("ADDED", &map("a", 5)))]]);
    cut.hears(&[("init", 0), ("there is a", 0), ("BrokeOff", 0)]).await;
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_ends_slightly_early_is_healthy() {
    let silent = vec![(LIFE.as_secs() - 5, Value::Null)];
    let mut bench = Bench::new(false, [list(&[], "", 7), silent]);
    bench.hears(&[("init", 0), ("listed", 0), ("works", 285)]).await;
}
