//! The command `render`: sets as manifests, without an API server.

use std::fs;
use std::sync::Arc;

use evenkeel::Operator;
use evenkeel::operator::{Error, Reason};
use evenkeel_tests::widget::Lab;
use serde_json::{Value, json};

use crate::dependents::booth::{a_booth, booth, strict};
use crate::dependents::shop;

const SECRET: &str = "apiVersion: v1\nkind: Secret\nmetadata: { name: login }\nstringData: { user: alice }\n";

/// What the command prints for these files, and how it ends. The names of the files in the arguments become their paths.
async fn render(operator: Operator, files: &[(&str, &str)], arguments: &[&str]) -> (String, Result<(), Error>) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("it is written");
    }
    let path = |argument: &&str| match files.iter().any(|(name, _)| name == argument) {
        true => folder.path().join(argument).into_os_string(),
        false => argument.into(),
    };
    let mut out = Vec::new();
    let ended = operator.render(arguments.iter().map(path).collect::<Vec<_>>(), &mut out).await;
    (String::from_utf8(out).expect("it is text"), ended)
}

fn operator(lab: &Arc<Lab>) -> Operator {
    Operator::new("fair").reconciler::<booth>(lab.clone()).reconciler::<shop::shop>(())
}

/// Renders a booth.
async fn booths(spec: &Value, more: &[&str]) -> (String, Result<(), Error>) {
    let lab = Arc::new(Lab::default());
    let files = [("booth.yaml", &*a_booth(spec)), ("secret.yaml", SECRET)];
    let ended = render(operator(&lab), &files, &[&["--object", "booth.yaml"], more].concat()).await;
    assert_eq!(lab.log(), [""; 0], "the external step does not run");
    ended
}

/// The text of the error about files or sets.
fn failure((_, ended): &(String, Result<(), Error>)) -> String {
    let error = ended.as_ref().expect_err("it fails");
    assert_eq!(error.reason(), Reason::Render, "{error}");
    error.to_string()
}

/// The comments of the output.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("# ")).collect()
}

#[tokio::test]
async fn sets_are_printed_by_step_wave_and_name() {
    let (text, ended) = booths(&json!({ "login": "login" }), &["--with", "secret.yaml"]).await;
    ended.unwrap();
    let expected = r#"# the dependents of Booth team-a/b
# step booth/announce not run: the external step `announce`
# step booth/build
---
# wave 0: Secret team-a/key
apiVersion: v1
data:
  user: (hidden)
kind: Secret
metadata:
  name: key
  namespace: team-a
---
# wave 1: ConfigMap team-a/walls
apiVersion: v1
data:
  of: b
  tier: web
kind: ConfigMap
metadata:
  name: walls
  namespace: team-a
# step booth/decorate
---
# wave 0: ConfigMap team-a/lights
apiVersion: v1
data:
  of: b
  tier: web
kind: ConfigMap
metadata:
  name: lights
  namespace: team-a
"#;
    assert_eq!(text, expected);
}

#[tokio::test]
async fn json_is_a_list_and_shows_secrets_on_request() {
    let arguments = ["--with", "secret.yaml", "--output", "json", "--show-secrets"];
    let (text, ended) = booths(&json!({ "login": "login" }), &arguments).await;
    ended.unwrap();
    let list: Value = serde_json::from_str(&text).unwrap();
    let names: Vec<Value> =
        list["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].clone()).collect();
    assert_eq!((&list["kind"], json!(names)), (&json!("List"), json!(["key", "walls", "lights"])));
    assert_eq!(list["items"][0]["data"]["user"], "YWxpY2U=", "what the file has as stringData");
}

#[tokio::test]
async fn an_object_that_no_file_contains_is_named_with_the_fix() {
    let ended = booths(&json!({ "login": "login" }), &[]).await;
    let text = failure(&ended);
    assert!(text.contains("step booth/build reads the Secret team-a/login (v1), which no file contains"), "{text}");
    assert!(text.contains("help: add the objects that steps read with `--with FILE`"), "{text}");
    let failed = "step booth/build failed: NoSecret: ";
    assert!(comments(&ended.0).iter().any(|line| line.starts_with(failed)), "{}", ended.0);
}

#[tokio::test]
async fn a_set_that_fails_leaves_the_others() {
    let ended = booths(&json!({ "fault": "invalid", "closed": true }), &[]).await;
    let text = failure(&ended);
    let problem = "ConfigMap team-a/roof: metadata.labels[size]: the value is no text";
    assert!(text.contains(&format!("step booth/build failed: ManifestInvalid: {problem}")), "{text}");
    assert_eq!(comments(&ended.0).last(), Some(&"step booth/decorate skipped: Closed"));
    assert!(!ended.0.contains("walls"), "a set is printed as a whole: {}", ended.0);
}

#[tokio::test]
async fn the_steps_after_a_failed_one_are_rendered() {
    let (text, ended) = booths(&json!({ "fault": "notice" }), &[]).await;
    ended.expect("a step without a set may succeed later");
    assert!(comments(&text).contains(&"step booth/notice failed: NoNotice: the notice is not there"), "{text}");
    assert!(text.contains("wave 0: ConfigMap team-a/lights"), "{text}");
    let ended = booths(&json!({ "fault": "forbidden" }), &[]).await;
    assert!(failure(&ended).contains("step booth/notice failed: NotAllowed: the booth is not allowed"));
    assert!(ended.0.contains("wave 0: ConfigMap team-a/lights"), "{}", ended.0);
}

#[tokio::test]
async fn a_set_that_needs_the_result_of_a_failed_step_is_not_reached() {
    let files = [("a.yaml", &*a_booth(&json!({ "fault": "notice" })))];
    let strict = Operator::new("fair").reconciler::<strict>(Arc::default());
    let ended = render(strict, &files, &["--object", "a.yaml"]).await;
    let text = failure(&ended);
    assert!(text.contains("step strict/notice failed: NoNotice: the notice is not there"), "{text}");
    let lost = ["copy", "decorate"].map(|step| format!("step strict/{step} not reached after step strict/notice"));
    assert_eq!(comments(&ended.0)[1], "step strict/ask not run: the claim, since it has dependencies");
    assert_eq!(comments(&ended.0)[4..], lost, "{}", ended.0);
}

#[tokio::test]
async fn the_client_of_a_step_sends_nothing() {
    let (text, ended) = booths(&json!({ "fault": "client" }), &[]).await;
    ended.expect("a step without a set may succeed later");
    let failed = "step booth/notice failed: Client: ";
    let failed = comments(&text).into_iter().find(|line| line.starts_with(failed)).expect("it fails");
    assert!(failed.contains("cannot send POST /api/v1/namespaces/team-a/configmaps"), "{failed}");
    assert!(text.contains("wave 0: ConfigMap team-a/lights"), "{text}");
}

#[tokio::test]
async fn random_output_fails_with_object_and_field() {
    let ended = booths(&json!({ "fault": "random" }), &[]).await;
    let text = failure(&ended);
    let problem = "step booth/build renders something else each time: data.number of ConfigMap roof";
    assert!(text.contains(problem), "{text}");
    assert!(ended.0.contains("wave 0: ConfigMap team-a/roof"), "{}", ended.0);
}

/// Renders a shop of the given spec, in the namespace of the command line.
async fn shops(spec: &Value) -> String {
    let meta = json!({ "name": "s" });
    let shop = json!({ "apiVersion": "tests.evenkeel.dev/v1", "kind": "Shop", "metadata": meta, "spec": spec });
    let operator = operator(&Arc::default()).namespaces(["team-b"]);
    let (text, ended) = render(operator, &[("shop.json", &shop.to_string())], &["--object", "shop.json"]).await;
    ended.unwrap();
    text
}

#[tokio::test]
async fn a_step_without_a_set_in_this_pass_has_a_comment() {
    assert_eq!(comments(&shops(&json!({ "closed": true })).await)[1], "step shop/install skipped: Closed");
    assert_eq!(comments(&shops(&json!({ "keeps": true })).await)[1], "step shop/install keeps its objects as they are");
    assert_eq!(comments(&shops(&json!({})).await)[1..], ["step shop/install"]);
}

#[tokio::test]
async fn waves_go_on_without_a_controller() {
    let purged = json!({ "evenkeel.dev/purge-order": "0" });
    let text =
        shops(&json!({ "parts": { "late": 2, "early": -3 }, "maps": { "m": "v" }, "annotations": purged })).await;
    let expected = [
        "wave -3: Part.tests.evenkeel.dev team-b/early",
        "wave 0: ConfigMap team-b/m",
        "wave 2: Part.tests.evenkeel.dev team-b/late",
    ];
    assert_eq!(comments(&text)[2..], expected);
    assert!(text.contains("evenkeel.dev/purge-order: \"0\""), "{text}");
}

#[tokio::test]
async fn a_file_that_cannot_be_used_is_named_with_the_problem_and_the_fix() {
    let booth = a_booth(&json!({}));
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: { name: p }\n";
    let typo = a_booth(&json!({ "closed": "yes" }));
    let later = booth.replace("tests.evenkeel.dev/v1", "tests.evenkeel.dev/v2");
    let two = format!("---\n{booth}\n---\n{pod}");
    for (text, problem, help) in [
        ("# nothing\n---\n", "a.yaml contains no object", "write the manifest of one object into it"),
        (&*two, "a.yaml contains 2 objects, and `render` takes one", "`--with`"),
        (
            pod,
            "a.yaml: fair does not reconcile the kind of Pod p: v1/Pod",
            "tests.evenkeel.dev/v1/Booth, tests.evenkeel.dev/v1/Shop",
        ),
        (&*later, "a.yaml: Booth b: apiVersion: the operator reconciles tests.evenkeel.dev/v1", "convert"),
        (
            &*typo,
            "a.yaml: the Booth team-a/b does not fit its type: spec.closed: invalid type: string",
            "correct the field",
        ),
        ("a: [", "a.yaml, line ", "write YAML or JSON"),
        (
            "kind: Booth\nmetadata: { name: b }\n",
            "a.yaml: the manifest of b: apiVersion: it is missing",
            "correct the field",
        ),
        ("- a\n", "a.yaml: a document is no object", "write `apiVersion`"),
    ] {
        let lab = Arc::new(Lab::default());
        let ended = render(operator(&lab), &[("a.yaml", text)], &["--object", "a.yaml"]).await;
        let error = failure(&ended);
        let (headline, fix) = error.split_once("\n  help: ").unwrap();
        assert!(headline.contains(problem) && fix.contains(help), "{text}: {error}");
        assert_eq!(ended.0, "");
    }
    let files = [("a.yaml", &*booth), ("one.yaml", SECRET), ("other.yaml", SECRET)];
    let twice = ["--object", "a.yaml", "--with", "one.yaml", "--with", "other.yaml"];
    let error = failure(&render(operator(&Arc::default()), &files, &twice).await);
    assert!(error.contains("other.yaml: Secret team-a/login is also in ") && error.contains("one.yaml"), "{error}");
}

#[tokio::test]
async fn the_version_that_a_step_does_not_read_is_named() {
    let secret = SECRET.replace("v1", "v2");
    let booth = a_booth(&json!({ "login": "login" }));
    let files = [("a.yaml", &*booth), ("secret.yaml", &*secret)];
    let ended = render(operator(&Arc::default()), &files, &["--object", "a.yaml", "--with", "secret.yaml"]).await;
    let error = failure(&ended);
    assert!(error.contains("reads the Secret team-a/login (v1), which a file contains as v2 only"), "{error}");
}
