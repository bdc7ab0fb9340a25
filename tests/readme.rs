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
    assert_eq!(shown.len(), 1);
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
    assert!(!shown.is_empty(), "a message is promised");
    for block in shown {
        assert!(read(&block.path).contains(&block.text), "README.md differs from {}", block.path);
    }
}

#[test]
fn the_manifest_of_the_first_operator_names_the_tested_versions() {
    let shown = read("docs/listings/greeter/Cargo.toml");
    let workspace = read("Cargo.toml");
    for name in ["k8s-openapi", "kube", "schemars", "serde", "serde_json", "thiserror", "tokio"] {
        let version = dependency(&shown, name);
        assert!(version.is_some(), "{name} is missing");
        assert_eq!(version, dependency(&workspace, name), "{name}");
    }
}

/// The version of evenkeel, kube, k8s-openapi and Rust, as users write them.
fn supported() -> [(&'static str, String); 4] {
    let workspace = read("Cargo.toml");
    let of_package = |field: &str| dependency(&workspace, field).unwrap().to_owned();
    let version = of_package("version").rsplit_once('.').unwrap().0.to_owned();
    let [kube, types] = ["kube", "k8s-openapi"].map(of_package);
    [("evenkeel", version), ("kube", kube), ("k8s-openapi", types), ("Rust", of_package("rust-version"))]
}

#[test]
fn pages_and_messages_name_the_supported_versions() {
    let [evenkeel, kube, types, rust] = supported().map(|(name, version)| format!("{name} {version}"));
    let sentence = format!("{evenkeel} works with {kube} and {types}, and needs {rust}.");
    assert!(read("runtime/README.md").contains(&sentence), "runtime/README.md: {sentence}");
    let message = format!("{evenkeel} works with {kube}");
    for file in ["runtime/src/kind/mod.rs", "runtime/src/pipeline/object.rs"] {
        assert!(read(file).contains(&message), "{file}: {message}");
    }
    let page = read("docs/src/reference/support.md");
    for (name, version) in supported().iter().skip(1) {
        let row = page.lines().find_map(|line| line.strip_prefix(&format!("| {name} | ")));
        assert!(row.unwrap().starts_with(version.as_str()), "docs/src/reference/support.md: {name} {version}");
    }
    let crates = read("runtime/README.md");
    for name in ["k8s-openapi", "kube", "schemars", "serde", "serde_json", "thiserror", "tokio"] {
        assert_eq!(dependency(&crates, name), dependency(&read("Cargo.toml"), name), "runtime/README.md: {name}");
    }
}

#[test]
fn no_dependency_needs_a_newer_rust() {
    let needed = |version: &str| version.split('.').map(|part| part.parse().unwrap()).collect::<Vec<u32>>();
    let metadata = ["metadata", "--offline", "--format-version", "1"];
    let metadata = Command::new(env!("CARGO")).args(metadata).current_dir(root()).output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&metadata.stdout).unwrap();
    let ours = dependencies(&["-p", "evenkeel", "-p", "evenkeel-testkit", "--all-features", "-e", "normal,build"]);
    let ours: BTreeSet<&str> = ours.iter().filter_map(|line| line.split(' ').next()).collect();
    let [.., (_, oldest)] = supported();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let newer = packages.filter(|package| {
        let version = package["rust_version"].as_str().map(needed).unwrap_or_default();
        ours.contains(package["name"].as_str().unwrap()) && version[..version.len().min(2)] > needed(&oldest)[..]
    });
    let newer: Vec<_> =
        newer.map(|package| [&package["name"], &package["version"], &package["rust_version"]]).collect();
    assert!(ours.len() > 100 && newer.is_empty(), "these need more than Rust {oldest}: {newer:?}");
}

#[test]
fn the_readme_is_short_and_its_links_lead_somewhere() {
    let readme = read("README.md");
    assert!(readme.lines().count() <= 150, "README.md has {} lines", readme.lines().count());
    let links: Vec<&str> = readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
    let dead: Vec<_> = links.iter().filter(|link| !link.contains("://") && !root().join(link).exists()).collect();
    assert!(links.len() > 15 && dead.is_empty(), "dead links in README.md: {dead:?}");
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
