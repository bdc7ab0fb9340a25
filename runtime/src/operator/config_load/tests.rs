//! Tests of a configuration file with the flags of an operator.

use std::io::Write;
use std::sync::Mutex;

use clap::{CommandFactory, FromArgMatches, Parser};
use evenkeel_random_cases::each;
use serde::Deserialize;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::layer::SubscriberExt;

use super::*;
use crate::config::{Accepted, Live};
use crate::operator::log::{DEFAULT, LogFormat, filter, objects_to, replaceable};

#[derive(Parser)]
struct Line {
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    #[arg(long, global = true, value_delimiter = ',')]
    namespace: Vec<String>,
    #[arg(long, global = true)]
    total_concurrency: Option<std::num::NonZeroUsize>,
    #[arg(long, global = true)]
    paged_lists: bool,
    #[arg(long, global = true, overrides_with = "no_replicas")]
    replicas: bool,
    #[arg(long, global = true, overrides_with = "replicas")]
    no_replicas: bool,
    #[arg(long, global = true)]
    service: Option<String>,
    #[arg(long, global = true, conflicts_with = "service")]
    url: Option<String>,
    #[arg(long, global = true, default_value = "text")]
    log_format: LogFormat,
    #[arg(long, global = true, default_value = DEFAULT, value_parser = filter)]
    log: EnvFilter,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Shop {
    limit: u8,
}

/// A file, its operator and its settings.
struct Case {
    _folder: tempfile::TempDir,
    path: PathBuf,
    operator: Operator,
    live: Live<Shop>,
}

fn case(text: &str) -> Case {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.yaml");
    std::fs::write(&path, text).unwrap();
    let live = Live::default();
    Case { path, operator: Operator::new("shop").settings(&live), live, _folder: folder }
}

impl Case {
    fn loaded(&mut self, flags: &[&str]) -> Result<Line> {
        let path = self.path.display().to_string();
        let line: Vec<OsString> = ["shop", "--config", &path].iter().chain(flags).map(Into::into).collect();
        let command = load(&mut self.operator, Line::command(), &line)?;
        Ok(Line::from_arg_matches(&command.get_matches_from(line)).unwrap())
    }

    fn refused(text: &str) -> String {
        let Err(error) = case(text).loaded(&[]) else { panic!("accepted: {text}") };
        error.to_string()
    }

    fn check(&self, text: &str) -> Result<Accepted, Problem> {
        self.operator.file.loaded.as_ref().unwrap().rules.check(text)
    }
}

#[test]
fn a_key_is_a_flag_and_a_flag_wins() {
    let text = "namespace: [a, b]\ntotalConcurrency: 4\npagedLists: true\nlogFormat: json\nsettings: {limit: 3}\n";
    let mut case = case(text);
    let line = case.loaded(&[]).unwrap();
    assert_eq!((line.namespace, line.total_concurrency.map(usize::from)), (vec!["a".into(), "b".into()], Some(4)));
    assert!(line.paged_lists && matches!(line.log_format, LogFormat::Json));
    assert_eq!(case.live.now().limit, 3);
    let line = case.loaded(&["--namespace=c", "--total-concurrency", "9"]).unwrap();
    assert_eq!((line.namespace, line.total_concurrency.map(usize::from)), (vec!["c".into()], Some(9)));
}

#[test]
fn a_flag_wins_over_the_key_that_it_excludes() {
    let line = case("url: x\n").loaded(&["--service=y"]).unwrap();
    assert_eq!((line.service.as_deref(), line.url), (Some("y"), None));
    let line = case("service: y\n").loaded(&["--url=x"]).unwrap();
    assert_eq!((line.service, line.url.as_deref()), (None, Some("x")));
    assert!(Case::refused("service: y\nurl: x\n").contains("cannot be used with"));
}

#[test]
fn replicas_are_turned_on_and_off() {
    let given =
        |text: &str, flags: &[&str]| case(text).loaded(flags).map(|line| (line.replicas, line.no_replicas)).unwrap();
    assert_eq!(given("replicas: true", &[]), (true, false));
    assert_eq!(given("replicas: false", &[]), (false, true));
    assert_eq!(given("replicas: false", &["--replicas"]), (true, false));
    assert_eq!(given("replicas: true", &["--no-replicas"]), (false, true));
}

#[test]
fn an_invalid_key_is_rejected_with_its_place() {
    for (text, expected) in [
        ("{}\n\ntotalConcurency: 4", "YAML"),
        ("totalConcurency: 4\n", ".yaml:1:1: unknown key `totalConcurency`\n  help: did you mean `totalConcurrency`?"),
        ("a: 1\n", "write the long name of a flag"),
        ("total-concurrency: 4\n", "did you mean `totalConcurrency`?"),
        ("pagedLists: true\ntotalConcurrency: 0\n", ".yaml:2:19: `totalConcurrency`: invalid value '0'"),
        ("totalConcurrency: [4]\n", "`totalConcurrency` has a list instead of one value"),
        ("pagedLists: 1\n", "`pagedLists` has a number instead of `true` or `false`"),
        ("namespace: {a: b}\n", "`namespace` has a mapping instead of a text or a list of texts"),
        ("logFormat: xml\n", "invalid value 'xml'"),
        ("log: evenkeel=loud\n", "`log`: invalid value"),
        ("noReplicas: true\n", "unknown key `noReplicas`"),
        ("config: x\n", "unknown key `config`"),
        ("settings: {limit: 256}\n", ".yaml:1:19: settings:"),
    ] {
        let refused = Case::refused(text);
        assert!(refused.contains(expected), "{refused}\n{text}");
    }
}

#[test]
fn a_file_that_cannot_be_read_ends_the_start() {
    let line = |path: &Path| vec![OsString::from("shop"), "--config".into(), path.into()];
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone.yaml");
    let error = load(&mut Operator::new("shop"), Line::command(), &line(&gone)).unwrap_err();
    assert!(error.to_string().contains("gone.yaml: the file does not exist"), "{error}");
    let error = load(&mut Operator::new("shop"), Line::command(), &line(folder.path())).unwrap_err();
    assert!(error.to_string().contains("the path is not that of a file"), "{error}");
    let binary = folder.path().join("binary.yaml");
    std::fs::write(&binary, [0xff, 0xfe, 0x00]).unwrap();
    let error = load(&mut Operator::new("shop"), Line::command(), &line(&binary)).unwrap_err();
    assert!(error.to_string().contains("is not UTF-8"), "{error}");
}

#[test]
fn settings_need_a_program_that_has_some() {
    let mut case = case("settings: {limit: 3}\n");
    case.operator = Operator::new("shop");
    let Err(error) = case.loaded(&[]) else { panic!("accepted") };
    assert!(error.to_string().contains(":1:1: unknown key `settings`: this program has no settings"), "{error}");
}

#[test]
fn other_changes_are_pending_until_they_are_undone() {
    let mut case = case("totalConcurrency: 4\nreplicas: true\n");
    case.loaded(&["--namespace=a"]).unwrap();
    let pending = |text: &str| case.check(text).unwrap().pending;
    assert_eq!(pending("totalConcurrency: 4\nreplicas: true\nlog: debug\nsettings: {limit: 1}"), [""; 0]);
    assert_eq!(pending("totalConcurrency: 5\nreplicas: false\n"), ["replicas", "totalConcurrency"]);
    assert_eq!(pending("replicas: true\nnamespace: b\n"), ["totalConcurrency"], "a flag gives the namespace");
}

#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_change_of_the_log_filter_changes_the_log() {
    let mut case = case("log: warn\n");
    let line = case.loaded(&[]).unwrap();
    let (layer, set_filter) = replaceable(line.log);
    case.operator.file.set_filter_by(set_filter);
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::registry().with(layer).with(objects_to(move || writer.clone()));
    tracing::subscriber::with_default(subscriber, || {
        tracing::info!("one");
        tracing::warn!("two");
        assert_eq!((case.check("log: info,evenkeel=debug").unwrap().apply)(), ["log"]);
        tracing::debug!("three");
        assert_eq!((case.check("log: info,evenkeel=debug\n").unwrap().apply)(), [""; 0]);
        assert!(case.check("log: evenkeel=loud").is_err());
        tracing::debug!("four");
        assert_eq!((case.check("{}").unwrap().apply)(), ["log"]);
        tracing::debug!("five");
        tracing::info!("six");
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let message = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["message"].clone();
    let messages: Vec<_> = text.lines().map(message).collect();
    assert_eq!(messages, ["two", "three", "four", "six"]);
}

#[test]
fn a_filter_that_a_flag_gives_stays() {
    let mut case = case("{}\n");
    case.loaded(&["--log=error"]).unwrap();
    case.operator.file.set_filter_by(Arc::new(|_| panic!("the flag wins")));
    assert_eq!((case.check("log: debug").unwrap().apply)(), [""; 0]);
}

#[test]
fn random_keys_and_values_never_panic_and_change_nothing() {
    const PARTS: [&str; 24] = [
        "namespace",
        "totalConcurrency",
        "pagedLists",
        "replicas",
        "service",
        "url",
        "logFormat",
        "log",
        "settings",
        ": ",
        "\n",
        "[",
        "]",
        "{",
        "}",
        "a",
        "0",
        "-1",
        "true",
        "--",
        "=",
        ",",
        "\"",
        "limit",
    ];
    let mut case = case("settings: {limit: 7}\n");
    case.loaded(&["--namespace=a"]).unwrap();
    each(500, |random| {
        let text: String = (0..random.range(1..12)).map(|_| PARTS[random.range(0..PARTS.len())]).collect();
        let _ = case.check(&text).map(|accepted| accepted.pending);
        assert_eq!(case.live.now().limit, 7, "{text}");
    });
}
