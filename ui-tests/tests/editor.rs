//! In an editor: completion, "go to definition" and documentation work inside attributes, steps and pipelines, and a mistake is one
//! diagnostic.
//!
//! Asks rust-analyzer over its protocol, about the library of this package. Where the component is not installed the test is skipped.
#![allow(clippy::explicit_write, reason = "the test harness hides what `eprintln!` says")]
#![allow(clippy::unwrap_used, reason = "a test may")]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long the analysis of the package may take. Answers before that are empty, and the question is asked again.
const PATIENCE: Duration = Duration::from_secs(300);

/// A language server that knows the package.
struct Server {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    requests: u64,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// `None`, with a visible line: rust-analyzer is not installed.
    fn start() -> Option<Self> {
        let version = Command::new("rust-analyzer").arg("--version").output();
        if !version.is_ok_and(|output| output.status.success()) {
            // Not `eprintln!`, which the test harness would hide.
            writeln!(std::io::stderr(), "SKIPPED: rust-analyzer is not installed, so no editor is asked").unwrap();
            return None;
        }
        let mut command = Command::new("rust-analyzer");
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut server = Self { process, input, output, requests: 0 };
        let root = format!("file://{}", root().display());
        server.ask("initialize", &json!({ "processId": null, "rootUri": root, "capabilities": {} }));
        server.send(&json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} }));
        Some(server)
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "rust-analyzer has ended");
            match line.trim().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                Some(_) => {}
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The answer; what the server asks on its side is answered with nothing.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.requests += 1;
        let id = self.requests;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message.get("method").is_none() && message["id"] == id {
                return message["result"].clone();
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                self.send(&json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
            }
        }
    }

    /// Asks until the answer is as wanted.
    fn until(&mut self, method: &str, params: &Value, wanted: impl Fn(&Value) -> bool) {
        let start = Instant::now();
        loop {
            let answer = self.ask(method, params);
            if wanted(&answer) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{method} {params}: {answer}");
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn show(&mut self, text: &str) {
        let document = json!({ "uri": uri(), "languageId": "rust", "version": self.requests, "text": text });
        let params = json!({ "textDocument": document });
        self.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": params }));
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn uri() -> String {
    format!("file://{}", root().join("src/lib.rs").display())
}

/// The place right after the first occurrence of the text.
fn after(file: &str, text: &str) -> Value {
    let end = file.find(text).unwrap() + text.len();
    let line = file[..end].matches('\n').count();
    let character = end - file[..end].rfind('\n').map_or(0, |at| at + 1);
    json!({ "textDocument": { "uri": uri() }, "position": { "line": line, "character": character } })
}

fn line_of(file: &str, text: &str) -> usize {
    file[..file.find(text).unwrap()].matches('\n').count()
}

#[test]
fn a_condition_in_an_attribute_leads_to_its_variant_and_is_completed() {
    let Some(mut server) = Server::start() else { return };
    let file = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    server.show(&file);
    let variant = line_of(&file, "    ArtifactStored,");
    let place = after(&file, "sets(on::Artifact");
    server.until("textDocument/definition", &place, |answer| {
        answer.as_array().into_iter().flatten().any(|found| {
            let range = if found["range"].is_null() { &found["targetSelectionRange"] } else { &found["range"] };
            range["start"]["line"] == variant
        })
    });
    server.until("textDocument/completion", &place, |answer| {
        let items = answer["items"].as_array().or_else(|| answer.as_array());
        items.into_iter().flatten().any(|item| item["label"] == "ArtifactStored")
    });
}

/// The library with a further step.
fn with_step(attribute: &str, body: &str) -> String {
    let library = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    format!(
        "{library}\n/// A step.\n#[sub_reconciler({attribute})]\npub async fn look(_repo: &GitRepository, cx: &mut Cx) -> Result<(), \
         GitError> {{\n    {body}\n    Ok(())\n}}\n"
    )
}

#[test]
fn a_call_of_the_context_is_completed_in_a_step() {
    let Some(mut server) = Server::start() else { return };
    let file = with_step("sets(on::ArtifactStored)", "cx.requ");
    server.show(&file);
    server.until("textDocument/completion", &after(&file, "    cx.requ"), |answer| {
        let items = answer["items"].as_array().or_else(|| answer.as_array());
        items.into_iter().flatten().any(|item| item["label"].as_str().is_some_and(|label| label.contains("require")))
    });
}

#[test]
fn a_condition_in_an_argument_shows_its_documentation() {
    let Some(mut server) = Server::start() else { return };
    let file = with_step("sets(on::ArtifactStored)", "");
    server.show(&file);
    server.until("textDocument/hover", &after(&file, "#[sub_reconciler(sets(on::Artifact"), |answer| {
        answer["contents"]["value"].as_str().is_some_and(|text| text.contains("The artifact is in storage."))
    });
}

#[test]
fn a_mistake_in_an_argument_is_one_diagnostic() {
    let Some(mut server) = Server::start() else { return };
    let file = with_step("sets(on::ArtifactStored), timeuot = \"5s\"", "");
    server.show(&file);
    server.until("textDocument/diagnostic", &json!({ "textDocument": { "uri": uri() } }), |answer| {
        let [found] = &answer["items"].as_array().map_or(&[][..], Vec::as_slice) else { return false };
        found["message"].as_str().is_some_and(|text| text.contains("did you mean `timeout`?"))
            && found["range"]["start"]["line"] == line_of(&file, "timeuot")
    });
}

#[test]
fn a_step_in_a_pipeline_leads_to_its_function() {
    let Some(mut server) = Server::start() else { return };
    let library = std::fs::read_to_string(root().join("src/lib.rs")).unwrap();
    let pipeline = "\n#[reconciler(conditions = RepoCondition)]\npub async fn repository(repo: &GitRepository, cx: &mut Pass<'_>) \
                    -> PassResult {\n    let commit = fetch(repo, cx).await?;\n    store(repo, &commit, cx).await?;\n    Ok(())\n}\n";
    let file = format!("{library}{pipeline}");
    server.show(&file);
    let function = line_of(&file, "pub async fn fetch(");
    server.until("textDocument/definition", &after(&file, "let commit = fet"), |answer| {
        answer.as_array().into_iter().flatten().any(|found| {
            let range = if found["range"].is_null() { &found["targetSelectionRange"] } else { &found["range"] };
            range["start"]["line"] == function
        })
    });
}
