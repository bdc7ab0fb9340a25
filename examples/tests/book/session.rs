//! The commands of a page, run in one shell in the order of the page.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use tokio::process::Command;

use crate::listing::expanded;
use crate::page::{Page, root};

/// The time for the commands of a page; the first build of all dependencies is part of it.
const LONG: Duration = Duration::from_secs(1200);

/// The page with the operator that all commands use.
const FIRST: &str = "start/first_operator.md";

/// A command with the lines that the page shows.
struct Shown {
    command: String,
    output: String,
}

/// Whether the tools are there.
pub(crate) fn is_possible() -> bool {
    let is_there = std::process::Command::new("kubectl").arg("version").arg("--client").output().is_ok();
    if !is_there {
        // Not `eprintln!`, which the test harness would hide.
        let mut stderr = std::io::stderr();
        writeln!(stderr, "SKIPPED: kubectl is not installed, so the commands of the book did not run").unwrap();
    }
    is_there
}

/// Runs the commands, and returns those that fail or print something else. A command without shown lines may print anything.
pub(crate) async fn run(page: &Page) -> Vec<String> {
    let commands: Vec<Shown> = page
        .blocks()
        .iter()
        .filter(|block| block.language == "console")
        .flat_map(|block| commands(&expanded(page, &block.text)))
        .collect();
    if commands.is_empty() {
        return Vec::new();
    }
    let folder = tempfile::tempdir().unwrap();
    lay_out(page, folder.path());
    let ended = shell(folder.path(), &commands).await;
    let read = |at: usize| fs::read_to_string(folder.path().join(format!("out/{at}")));
    let differing = commands.iter().enumerate().filter_map(|(at, shown)| {
        let Ok(printed) = read(at) else { return Some(format!("{}: `{}` did not run", page.name, shown.command)) };
        let differs = !shown.output.is_empty() && printed.trim_end() != shown.output.trim_end();
        differs.then(|| format!("{}: `{}` printed\n{printed}", page.name, shown.command))
    });
    let mut faults: Vec<String> = differing.collect();
    if !ended || !faults.is_empty() {
        let errors = fs::read_to_string(folder.path().join("errors")).unwrap_or_default();
        faults.push(format!("{}: standard error was\n{errors}", page.name));
    }
    faults
}

fn commands(block: &str) -> Vec<Shown> {
    let mut all: Vec<Shown> = Vec::new();
    for line in block.lines() {
        match (line.strip_prefix("$ "), all.last_mut()) {
            (Some(command), _) => all.push(Shown { command: command.to_owned(), output: String::new() }),
            (None, Some(shown)) => writeln!(shown.output, "{line}").unwrap(),
            (None, None) => panic!("a block of commands begins with `$ `, not with {line}"),
        }
    }
    all
}

/// Writes the files of the first page and of this one to a folder `greeter` next to the checkout. Without `EVENKEEL_BOOK=all`, a script
/// stands for cargo: it runs the programs that the tests have built.
fn lay_out(page: &Page, folder: &Path) {
    for name in ["greeter", "out", "bin"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    std::os::unix::fs::symlink(root(), folder.join("evenkeel")).unwrap();
    for page in [&Page::read(FIRST), page] {
        for block in page.blocks() {
            let Some(file) = &block.file else { continue };
            let path = folder.join("greeter").join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, expanded(page, &block.text)).unwrap();
        }
    }
    if std::env::var_os("EVENKEEL_BOOK").is_some_and(|form| form == "all") {
        return;
    }
    let (hello, apiserver) = (env!("CARGO_BIN_EXE_hello"), env!("CARGO_BIN_EXE_apiserver"));
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in\n'run --quiet --example apiserver') exec {apiserver} ;;\n'run --quiet') exec {hello} ;;\n\
         'run --quiet -- '*) shift 3; exec {hello} \"$@\" ;;\ntest) ;;\n*) echo \"no program for cargo $*\" >&2; exit 1 ;;\nesac\n"
    );
    let cargo = folder.join("bin/cargo");
    fs::write(&cargo, script).unwrap();
    fs::set_permissions(&cargo, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
}

/// Runs the commands until one fails. A command that ends with `&` stays in the background once it has printed its lines.
async fn shell(folder: &Path, commands: &[Shown]) -> bool {
    let mut script = "set -e\n".to_owned();
    for (at, Shown { command, output }) in commands.iter().enumerate() {
        let file = folder.join("out").join(at.to_string());
        let (file, lines) = (file.display(), output.lines().count());
        match command.strip_suffix(" &") {
            None => writeln!(script, "{{ {command}\n}} >'{file}'").unwrap(),
            Some(command) => writeln!(
                script,
                "{{ {command}\n}} >'{file}' &\nuntil [ \"$(wc -l <'{file}')\" -ge {lines} ]; do kill -0 $!; sleep 0.1; done"
            )
            .unwrap(),
        }
    }
    let path = format!("{}:{}", folder.join("bin").display(), std::env::var("PATH").unwrap());
    let mut bash = Command::new("bash");
    bash.args(["-c", &script]).current_dir(folder.join("greeter")).env("PATH", path).env_remove("KUBECONFIG");
    // One build of the dependencies for all pages.
    bash.env("CARGO_TARGET_DIR", concat!(env!("CARGO_TARGET_TMPDIR"), "/book"));
    bash.stdin(Stdio::null()).stdout(Stdio::null()).stderr(fs::File::create(folder.join("errors")).unwrap());
    let mut running = bash.process_group(0).spawn().unwrap();
    let group = rustix::process::Pid::from_raw(running.id().unwrap().cast_signed()).unwrap();
    let ended = tokio::time::timeout(LONG, running.wait()).await;
    // Those in the background.
    let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    ended.is_ok_and(|status| status.unwrap().success())
}
