//! A shell with kubectl in it, and a server of its own behind it.

use std::path::PathBuf;
use std::process::{Output, Stdio};

use evenkeel_testkit::{Builder, Cluster, Serving};
use regex::Regex;
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::Command;

/// The kind most sessions are about.
pub(crate) const DEFINITION: &str = include_str!("widget.json");

pub(crate) const WIDGET: &str =
    "apiVersion: ex.dev/v1\nkind: Widget\nmetadata: {name: w}\nspec: {size: 1, replicas: 2, color: red}\n";

/// Where kubectl runs.
pub(crate) struct Shell {
    pub(crate) cluster: Option<Cluster>,
    _serving: Option<Serving>,
    folder: TempDir,
    kubeconfig: PathBuf,
}

impl Shell {
    /// What kubectl says of itself; none when there is none.
    pub(crate) async fn version() -> Option<String> {
        let output = Command::new("kubectl").args(["version", "--client"]).output().await.ok()?;
        output.status.success().then(|| printed(&output.stdout).lines().next().unwrap_or_default().to_owned())
    }

    /// A shell beside a new server, which says it is the release that kubectl 1.32 belongs to.
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

    /// A shell beside a server that is there.
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

    /// What the command prints; it must succeed.
    pub(crate) async fn ok(&self, line: &str) -> Result<String, String> {
        let output = self.run(line, "").await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        if output.status.success() { Ok(out) } else { Err(format!("kubectl {line}: {out}{err}")) }
    }

    /// What the command complains of; it must fail.
    pub(crate) async fn fails(&self, line: &str) -> Result<String, String> {
        let output = self.run(line, "").await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        if output.status.success() { Err(format!("kubectl {line} succeeds: {out}")) } else { Ok(format!("{out}{err}")) }
    }

    /// What the command prints, on both channels, and its exit code.
    pub(crate) async fn all(&self, line: &str) -> Result<String, String> {
        let output = self.run(line, "").await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        Ok(format!("{out}{err}exit {}", output.status.code().unwrap_or(-1)))
    }

    /// With an editor that is this command.
    pub(crate) async fn edited(&self, line: &str, editor: &str) -> Result<String, String> {
        let output = self.run(line, editor).await?;
        let (out, err) = (printed(&output.stdout), printed(&output.stderr));
        if output.status.success() { Ok(out) } else { Err(format!("kubectl {line}: {out}{err}")) }
    }

    /// An object as kubectl gets it.
    pub(crate) async fn object(&self, what: &str) -> Result<Value, String> {
        let text = self.ok(&format!("get {what} -o json")).await?;
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    async fn run(&self, line: &str, editor: &str) -> Result<Output, String> {
        self.command(line, editor).output().await.map_err(|error| error.to_string())
    }

    /// The command, its folder and surroundings being those of this shell.
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

/// Words of a line, as a shell splits it: what stands in single quotes stays together.
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

/// The text without what differs from run to run, its columns set one space apart.
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

/// Both sides are the same but for what differs from run to run.
pub(crate) fn same(found: &str, expected: &str) -> Result<(), String> {
    let (found, expected) = (steady(found), steady(expected));
    if found.trim() == expected.trim() { Ok(()) } else { Err(format!("expected\n{expected}\nfound\n{found}")) }
}

/// The text has these parts.
pub(crate) fn has(text: &str, parts: &[&str]) -> Result<(), String> {
    let steady = steady(text);
    match parts.iter().find(|part| !steady.contains(*part)) {
        None => Ok(()),
        Some(part) => Err(format!("nothing of {part:?} in\n{steady}")),
    }
}

/// A statement that is true.
pub(crate) fn holds(what: &str, truth: bool) -> Result<(), String> {
    if truth { Ok(()) } else { Err(what.to_owned()) }
}
