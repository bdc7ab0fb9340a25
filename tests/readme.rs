//! The code and messages in the README and the guide match the repository.

#![allow(clippy::unwrap_used, reason = "a test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A fenced block of the README under a marker `<!-- path -->`: the path and the text.
struct Block {
    path: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn blocks() -> Vec<Block> {
    blocks_of("README.md")
}

fn blocks_of(page: &str) -> Vec<Block> {
    let page = read(page);
    let marked = page.split("<!-- ").skip(1);
    let block = |part: &str| {
        let (path, rest) = part.split_once(" -->").unwrap();
        let text = rest.split("```").nth(1).unwrap();
        let (_language, text) = text.split_once('\n').unwrap();
        Block { path: path.to_owned(), text: text.trim_end().to_owned() }
    };
    marked.map(block).collect()
}

fn dependency<'a>(manifest: &'a str, name: &str) -> Option<&'a str> {
    let value = manifest.lines().find_map(|line| line.strip_prefix(name)?.trim_start().strip_prefix('='))?;
    let version = value.split("version = \"").nth(1).or_else(|| value.trim().strip_prefix('"'))?;
    version.split('"').next()
}

#[test]
fn readme_code_matches_the_compiled_example() {
    let shown: Vec<Block> = blocks().into_iter().filter(|block| block.path.ends_with("hello.rs")).collect();
    assert_eq!(shown.len(), 2);
    for shown in shown {
        let compiled = read(&shown.path);
        let without_header =
            compiled.lines().skip_while(|line| line.starts_with("//!") || line.starts_with("#![") || line.is_empty());
        assert_eq!(shown.text, without_header.collect::<Vec<_>>().join("\n"), "README.md differs from {}", shown.path);
    }
}

#[test]
fn code_of_the_guide_is_part_of_the_compiled_example() {
    let shown = blocks_of("runtime/src/guide/dependents.md");
    assert!(!shown.is_empty());
    for block in shown {
        assert!(read(&block.path).contains(&block.text), "the guide differs from {}", block.path);
    }
}

#[test]
fn readme_messages_match_the_compiler_output() {
    let shown: Vec<Block> = blocks().into_iter().filter(|block| block.path.ends_with(".stderr")).collect();
    assert!(shown.len() >= 3, "three messages are promised, {} are shown", shown.len());
    for block in shown {
        assert!(read(&block.path).contains(&block.text), "README.md differs from {}", block.path);
    }
}

#[test]
fn readme_manifest_names_the_tested_versions() {
    let shown = blocks().into_iter().find(|block| block.path == "Cargo.toml").unwrap();
    let workspace = read("Cargo.toml");
    for name in ["k8s-openapi", "kube", "schemars", "serde", "serde_json", "thiserror", "tokio"] {
        let version = dependency(&shown.text, name);
        assert!(version.is_some(), "{name} is missing");
        assert_eq!(version, dependency(&workspace, name), "{name}");
    }
}

#[test]
fn every_folder_in_the_readme_map_exists() {
    let readme = read("README.md");
    let map = readme.split("## Repository layout").nth(1).unwrap();
    let paths: Vec<&str> = map.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    assert!(paths.len() > 5, "{paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "{path} is on the map, but not there");
    }
}

/// The packages that cargo builds for a selection with their features, but for those of the workspace.
fn dependencies(selection: &[&str]) -> BTreeSet<String> {
    let format = ["tree", "--offline", "--prefix", "none", "--format", "{p} {f}"];
    let tree = Command::new(env!("CARGO")).args(format).args(selection).current_dir(root()).output().unwrap();
    assert!(tree.status.success(), "{}", String::from_utf8_lossy(&tree.stderr));
    let tree = String::from_utf8(tree.stdout).unwrap();
    let packages = tree.lines().map(|line| line.trim_end_matches(" (*)"));
    packages.filter(|line| !line.contains(" (/") && !line.is_empty()).map(ToOwned::to_owned).collect()
}

#[test]
fn the_commands_of_the_readme_share_one_build_of_the_dependencies() {
    let example = dependencies(&["-p", "examples", "-e", "normal,build"]);
    let all = dependencies(&["--workspace", "-e", "normal,build,dev"]);
    let built_again: Vec<&String> = example.difference(&all).collect();
    assert!(
        example.len() > 100 && built_again.is_empty(),
        "add these features in examples/Cargo.toml: {built_again:?}"
    );
}
