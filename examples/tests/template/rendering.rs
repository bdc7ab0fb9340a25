//! The files of a project, with the substitution of `cargo generate`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use evenkeel_testkit::assert_generated;

/// A project that is made from the template.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Project {
    pub(crate) name: &'static str,
    pub(crate) group: &'static str,
    pub(crate) kind: &'static str,
}

/// With an acronym; the README uses these words, and the committed project.
pub(crate) const ACRONYM: Project = Project { name: "dns-operator", group: "dns.example.com", kind: "DNSZone" };
const DASHES: Project = Project { name: "blue-green-operator", group: "roll-out.ops.example.com", kind: "BlueGreen" };
const DIGITS: Project = Project { name: "s3-2-operator", group: "s3.2.example.com", kind: "S3Bucket2" };

pub(crate) const PROJECTS: [Project; 3] = [ACRONYM, DASHES, DIGITS];

/// The ending that `cargo generate` removes.
const LIQUID: &str = ".liquid";

/// The file with the questions, which is not part of a project.
const QUESTIONS: &str = "cargo-generate.toml";

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

pub(crate) fn template(file: &str) -> String {
    let path = root().join("examples/template").join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The files below a folder, with their texts, by their relative paths.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read_to_string(&path).unwrap());
            }
        }
    }
    found
}

impl Project {
    /// Replaces the words of the template in a text.
    pub(crate) fn render(self, text: &str) -> String {
        let words = [("{{project-name}}", self.name), ("{{group}}", self.group), ("{{kind}}", self.kind)];
        words.iter().fold(text.to_owned(), |text, (word, by)| text.replace(word, by))
    }

    /// The files of the project. A file with the ending `.liquid` takes the place of the one without.
    pub(crate) fn files(self) -> BTreeMap<String, String> {
        let (liquid, plain): (Vec<_>, Vec<_>) = files(&root().join("examples/template"))
            .into_iter()
            .filter(|(name, _)| name != QUESTIONS)
            .partition(|(name, _)| name.ends_with(LIQUID));
        let plain = plain.into_iter().chain(liquid);
        plain.map(|(name, text)| (name.trim_end_matches(LIQUID).to_owned(), self.render(&text))).collect()
    }

    /// Writes the project to its folder in this one.
    pub(crate) fn write(self, folder: &Path) -> PathBuf {
        let folder = folder.join(self.name);
        for (name, text) in self.files() {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }
}

#[test]
fn no_word_of_the_template_is_left_in_a_project() {
    for project in PROJECTS {
        let files = project.files();
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        let wanted = [
            ".github/workflows/ci.yaml",
            ".gitignore",
            "Cargo.toml",
            "Dockerfile",
            "README.md",
            "src/api.rs",
            "src/main.rs",
            "src/operator.rs",
            "tests/operator.rs",
        ];
        assert_eq!(names, wanted);
        for (name, text) in &files {
            // They would be Liquid as well.
            for opening in ["{{", "{%"] {
                assert!(!text.contains(opening), "{opening} in {name} of {project:?}:\n{text}");
            }
        }
        for word in [project.name, project.group, project.kind] {
            assert!(files["README.md"].contains(word), "{word}");
        }
    }
}

#[test]
fn cargo_finds_no_manifest_in_the_template() {
    // It would print an error about the words in it to each program with evenkeel as a git dependency.
    let files = files(&root().join("examples/template"));
    assert!(files.contains_key("Cargo.toml.liquid") && files.keys().all(|name| !name.ends_with("Cargo.toml")));
}

#[test]
fn the_committed_project_is_the_rendered_template() {
    for (name, text) in ACRONYM.files().iter().filter(|(name, _)| name.ends_with(".rs")) {
        assert_generated(root().join("examples/tests/template/dns_zone").join(name), text);
    }
}

#[test]
fn the_template_needs_what_the_workspace_needs() {
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let manifest = template("Cargo.toml.liquid");
    let line = |text: &str, start: &str| text.lines().find(|line| line.starts_with(start)).map(str::to_owned);
    for start in ["edition = ", "rust-version = "] {
        assert_eq!(line(&manifest, start), line(&workspace, start));
    }
    let version = |text: &str, name: &str| {
        let line = line(text, &format!("{name} = ")).unwrap_or_else(|| panic!("no {name}"));
        line.split('"').find(|part| part.starts_with(|c: char| c.is_ascii_digit())).unwrap().to_owned()
    };
    for name in ["k8s-openapi", "kube", "schemars", "serde", "serde_json", "thiserror", "tokio"] {
        assert_eq!(version(&manifest, name), version(&workspace, name), "{name}");
    }
    for name in ["evenkeel", "evenkeel-testkit"] {
        let wanted = env!("CARGO_PKG_VERSION");
        assert!(wanted.starts_with(&version(&manifest, name)), "{name} is {wanted}");
    }
}

#[test]
fn the_image_of_the_template_is_built_like_those_of_the_examples() {
    let example = |file: &str| fs::read_to_string(root().join("examples/image").join(file)).unwrap();
    let lines = |text: &str, starts: &[&str]| {
        let is_found = |line: &&str| starts.iter().any(|start| line.trim_start().starts_with(start));
        text.lines().filter(is_found).map(|line| line.trim_start().to_owned()).collect::<Vec<_>>()
    };
    let starts = ["ARG RUST=", "FROM ", "RUN apk", "RUN cargo install", "USER ", "ENTRYPOINT "];
    let image = lines(&template("Dockerfile"), &starts);
    assert_eq!(image.len(), 7, "{image:?}");
    assert_eq!(image, lines(&example("Dockerfile"), &starts));
    let release = lines(&example("release.yaml"), &["- uses: "]);
    let workflow = lines(&template(".github/workflows/ci.yaml"), &["- uses: "]);
    assert!(!workflow.is_empty() && workflow.iter().all(|action| release.contains(action)), "{workflow:?}");
    let profile = |text: &str| {
        let (_, rest) = text.split_once("[profile.dist]\n").unwrap();
        rest.split("\n\n").next().unwrap().trim_end().to_owned()
    };
    let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    assert_eq!(profile(&template("Cargo.toml.liquid")), profile(&workspace));
}
