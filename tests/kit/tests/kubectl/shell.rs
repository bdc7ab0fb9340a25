//! A shell for kubectl with its own server.

use std::path::PathBuf;
use std::process::{Output, Stdio};

use evenkeel_testkit::{Builder, Cluster, Serving};
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

/// The CRD of the kind that most sessions use.
pub(crate) const DEFINITION: &str = include_str!("widget.json");

pub(crate) const WIDGET: &str =
    "apiVersion: ex.dev/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 1, replicas: 2, color: red}\n";

/// The environment in which kubectl runs.
pub(crate) struct Shell {
    pub(crate) cluster: Option<Cluster>,
    _serving: Option<Serving>,
    folder: TempDir,
    kubeconfig: PathBuf,
}

impl Shell {
    /// The version line of kubectl; `None` if kubectl is not installed.
    pub(crate) async fn version() -> Option<String> {
        let output = Command::new("kubectl").args(["version", "--client"]).output().await.ok()?;
        output.status.success().then(|| printed(&output.stdout).lines().next().unwrap_or_default().to_owned())
    }

    /// A shell with a new server that reports the release of kubectl 1.32.
    pub(crate) async fn open() -> Result<Self, String> {
        Self::beside(Cluster::builder()).await
    }

    pub(crate) async fn beside(builder: Builder) -> Result<Self, String> {
        let cluster = builder.minor_version(32).start().await;
        let serving = cluster.serve().await.map_err(|error| error.to_string())?;
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let kubeconfig = folder.path().join("kubeconfig");
        serving.write_kubeconfig(&kubeconfig).map_err(|error| error.to_string())?;
        Ok(Shell { cluster: Some(cluster), _serving: Some(serving), folder, kubeconfig })
    }

    /// A shell for an existing server.
    pub(crate) fn at(kubeconfig: PathBuf) -> Result<Self, String> {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        Ok(Shell { cluster: None, _serving: None, folder, kubeconfig })
    }

    /// A shell whose server serves widgets.
    pub(crate) async fn with_widgets() -> Result<Self, String> {
        let shell = Self::open().await?;
        shell.write("crd.json", DEFINITION)?;
        shell.write("w.yaml", WIDGET)?;
        shell.ok("apply -f crd.json").await?;
        shell.ok("wait --for=condition=Established crd/widgets.ex.dev --timeout=20s").await?;
        Ok(shell)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> Result<(), String> {
        std::fs::write(self.folder.path().join(name), text).map_err(|error| error.to_string())
    }

    /// The output of the command, which must succeed.
    pub(crate) async fn ok(&self, line: &str) -> Result<String, String> {
        let output = self.run(line, "").await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        if output.status.success() { Ok(out) } else { Err(format!("kubectl {line}: {out}{err}")) }
    }

    /// The output of the command, which must fail.
    pub(crate) async fn fails(&self, line: &str) -> Result<String, String> {
        let output = self.run(line, "").await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        if output.status.success() { Err(format!("kubectl {line} succeeds: {out}")) } else { Ok(format!("{out}{err}")) }
    }

    /// The output of the command on stdout and stderr, and its exit code.
    pub(crate) async fn all(&self, line: &str) -> Result<String, String> {
        let output = self.run(line, "").await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        Ok(format!("{out}{err}exit {}", output.status.code().unwrap_or(-1)))
    }

    /// Runs the command with this editor command.
    pub(crate) async fn edited(&self, line: &str, editor: &str) -> Result<String, String> {
        let output = self.run(line, editor).await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        if output.status.success() { Ok(out) } else { Err(format!("kubectl {line}: {out}{err}")) }
    }

    /// An object as `kubectl get` returns it.
    pub(crate) async fn object(&self, what: &str) -> Result<Value, String> {
        let text = self.ok(&format!("get {what} -o json")).await?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    async fn run(&self, line: &str, editor: &str) -> Result<Output, String> {
        self.command(line, editor).output().await.map_err(|error| error.to_string())
    }

    /// The command with the directory and the environment of this shell.
    pub(crate) fn command(&self, line: &str, editor: &str) -> Command {
        let mut command = Command::new("kubectl");
        command.args(words(line)).current_dir(self.folder.path()).stdin(Stdio::null()).kill_on_drop(true);
        command.env("KUBECONFIG", &self.kubeconfig).env("HOME", self.folder.path()).env("EDITOR", editor);
        command.env_remove("HTTP_PROXY").env_remove("http_proxy").env_remove("HTTPS_PROXY").env_remove("https_proxy");
        command
    }
}

fn printed(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Splits a line into words like a shell; single quotes group words.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for letter in line.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            ' ' if !quoted => words.extend(word.take()),
            letter => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The text without values that differ between runs, and with single spaces between columns.
pub(crate) fn steady(text: &str) -> String {
    let volatile = [
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d+ [+-]\d+", "<time>"),
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
        (r#"(?i)(resource ?version"?:\s+)"?\d+"?"#, "${1}<version>"),
        (r"(?m)\b(\d+[dhms])+( ago)?$", "<age>"),
        (r"(?m)\s+(\d+[dhms]){1,2}\s", " <age> "),
        (r"/tmp/[^\s]+", "<file>"),
        (r"[ \t]+", " "),
        (r"(?m) $", ""),
    ];
    volatile.into_iter().fold(text.to_owned(), |text, (pattern, word)| {
        Regex::new(pattern).map(|regex| regex.replace_all(&text, word).into_owned()).unwrap_or(text)
    })
}

/// Checks that both texts are equal, except for values that differ between runs.
pub(crate) fn same(found: &str, expected: &str) -> Result<(), String> {
    let (found, expected) = (steady(found), steady(expected));
    if found.trim() == expected.trim() { Ok(()) } else { Err(format!("expected\n{expected}\nfound\n{found}")) }
}

/// Checks that the text contains these parts.
pub(crate) fn has(text: &str, parts: &[&str]) -> Result<(), String> {
    let steady = steady(text);
    match parts.iter().find(|part| !steady.contains(*part)) {
        None => Ok(()),
        Some(part) => Err(format!("nothing of {part:?} in\n{steady}")),
    }
}

/// Checks that the condition is true.
pub(crate) fn holds(what: &str, truth: bool) -> Result<(), String> {
    if truth { Ok(()) } else { Err(what.to_owned()) }
}
