//! Counts the lines of LLVM IR of a source, as `cargo llvm-lines` does: with the stable compiler, before the passes of LLVM.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::cargo;

/// The crates that the sources use.
const NAMED: [&str; 7] = ["evenkeel", "k8s_openapi", "kube", "schemars", "serde", "serde_json", "thiserror"];

/// Compiles sources with the libraries and features of this package.
pub(crate) struct Compiler {
    libraries: BTreeMap<String, PathBuf>,
    folder: PathBuf,
}

impl Compiler {
    /// Works in a folder of that name, since tests run in parallel.
    pub(crate) fn new(folder: &str) -> Self {
        // The features of the workspace, with which all crates are built already.
        let build = ["test", "-q", "--offline", "--workspace", "--test", "expansion_budget", "--no-run"];
        let messages = cargo(&[&build[..], &["--message-format=json"]].concat());
        let messages = messages.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let libraries = messages.filter_map(|message| {
            // Dependencies of macros are built without, and may have another version.
            let is_ours = message["profile"]["overflow_checks"] == true;
            let files = message["filenames"].as_array().filter(|_| is_ours)?.iter().filter_map(|file| file.as_str());
            let library = files.map(PathBuf::from).find(|file| file.extension().is_some_and(|e| e == "rlib"))?;
            Some((message["target"]["name"].as_str()?.replace('-', "_"), library))
        });
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        Self { libraries: libraries.collect(), folder }
    }

    /// The lines of a library with this source.
    pub(crate) fn lines(&self, source: &str) -> usize {
        let (input, output) = (self.folder.join("subject.rs"), self.folder.join("subject.ll"));
        std::fs::write(&input, source).unwrap();
        let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        rustc.args(["--edition=2024", "--crate-type=lib", "--cap-lints=allow", "-Ccodegen-units=1", "-Cdebuginfo=0"]);
        rustc
            .args([
                "-Cno-prepopulate-passes",
                "-Csymbol-mangling-version=v0",
                &format!("--emit=llvm-ir={}", output.display()),
            ])
            .arg(&input)
            .current_dir(&self.folder);
        for name in NAMED {
            rustc.arg(format!("--extern={name}={}", self.libraries[name].display()));
        }
        rustc.arg(format!("-Ldependency={}", self.libraries["serde"].parent().unwrap().display()));
        let compiled = rustc.output().unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        in_bodies(&std::fs::read_to_string(&output).unwrap())
    }
}

/// The lines of code in functions that are compiled here because of this source, without labels and braces.
fn in_bodies(text: &str) -> usize {
    let (mut inside, mut name) = (false, "");
    let code = text.lines().filter(|line| {
        // The compiler writes the name of a function, and then its attributes, above it.
        if let Some(comment) = line.strip_prefix("; ").filter(|comment| !comment.starts_with("Function Attrs")) {
            name = comment;
        }
        inside = (inside || line.starts_with("define") && !is_inlined(name)) && !line.starts_with('}');
        inside && line.starts_with("  ")
    });
    code.count()
}

/// Whether this is a function of a library without type parameters. The compiler copies small ones from optimized libraries.
fn is_inlined(name: &str) -> bool {
    let mut before_brackets = name.split('<').rev().skip(1);
    let has_parameters =
        before_brackets.any(|text| text.ends_with(|last: char| last == ':' || last == '_' || last.is_alphanumeric()));
    let is_built_in = name.contains(['[', '&', '(', '*']);
    !has_parameters && !is_built_in && !name.contains("subject::")
}
