//! Runs `manifests` of an example, and reads the objects that it prints.

use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::Value;

/// An example with a command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// One kind, and one owned kind.
    Hello,
    /// Two kinds, webhooks, conversions, policies and a route.
    App,
    /// Sets of dependents.
    Component,
}

impl Example {
    pub const ALL: [Self; 3] = [Self::Hello, Self::App, Self::Component];

    /// The name of the operator.
    pub const fn operator(self) -> &'static str {
        match self {
            Self::Hello => "greeter",
            Self::App => "app",
            Self::Component => "shop-operator",
        }
    }

    const fn program(self) -> &'static str {
        match self {
            Self::Hello => env!("CARGO_BIN_EXE_hello"),
            Self::App => env!("CARGO_BIN_EXE_app"),
            Self::Component => env!("CARGO_BIN_EXE_component"),
        }
    }

    /// The command `manifests` with these arguments.
    pub fn run(self, args: &[&str]) -> Output {
        self.start("manifests", args)
    }

    fn start(self, command: &str, args: &[&str]) -> Output {
        let mut program = Command::new(self.program());
        program.arg(command).args(args).env_remove("KUBECONFIG").output().unwrap()
    }

    /// What another command prints.
    pub fn command(self, command: &str, args: &[&str]) -> String {
        let output = self.start(command, args);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What it prints.
    pub fn printed(self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// What it prints about wrong arguments.
    pub fn refused(self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(!output.status.success(), "{args:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    /// The objects of an installation in this namespace, with these arguments.
    pub fn objects(self, args: &[&str]) -> Vec<Value> {
        documents(&self.printed(&[&["--image", "registry.example/operator:1.0.0"], args].concat()))
    }

    /// The objects of all parts, for two replicas.
    pub fn all_objects(self) -> Vec<Value> {
        let optional = ["--replicas", "2", "--only", "flow-control,network,monitoring,alerts,dashboard"];
        [self.objects(&["--replicas", "2"]), self.objects(&optional)].concat()
    }
}

/// The objects of a YAML text.
pub fn documents(text: &str) -> Vec<Value> {
    let documents = text.split("---\n").filter(|document| !document.trim().is_empty());
    let parse = |document: &str| serde_saphyr::from_str(document).unwrap_or_else(|error| panic!("{error}: {document}"));
    documents.map(parse).collect()
}

/// Which object it is: API version, kind, namespace and name.
pub fn id(object: &Value) -> (String, String, String, String) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let metadata = &object["metadata"];
    (text(&object["apiVersion"]), text(&object["kind"]), text(&metadata["namespace"]), text(&metadata["name"]))
}

/// The object of this kind whose name ends so.
pub fn find<'o>(objects: &'o [Value], kind: &str, ending: &str) -> &'o Value {
    let is = |object: &&Value| object["kind"] == kind && object["metadata"]["name"].as_str().unwrap().ends_with(ending);
    objects.iter().find(is).unwrap_or_else(|| panic!("no {kind} {ending}"))
}

/// The file of a reference.
pub fn reference(example: &str, file: &str) -> PathBuf {
    PathBuf::from(format!("{}/reference/{example}/{file}", env!("CARGO_MANIFEST_DIR")))
}
