//! Runs the commands that a page of the tutorial shows, and compares what they print.

use std::fs;
use std::future::pending;
use std::io::Write as _;
use std::process::Output;

use evenkeel::Operator;
use evenkeel_testkit::Cluster;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::PostParams;
use tokio::process::Command;

/// Runs the commands of `terminal.txt` in the folder of a chapter, on an API server in this process that the operator works on.
///
/// A command is a line that begins with `$ `. The lines after it are its output. Without kubectl, it does nothing and reports that.
///
/// # Panics
/// A command fails, or prints something else.
pub async fn assert_prints(operator: Operator, folder: &str) {
    if Command::new("kubectl").args(["version", "--client"]).output().await.is_err() {
        // Not `eprintln!`, which the test harness would hide.
        writeln!(std::io::stderr(), "SKIPPED: kubectl is not installed, so the commands of {folder} did not run")
            .expect("standard error is open");
        return;
    }
    let cluster = Cluster::start().await;
    let server = cluster.serve().await.expect("a port is free");
    let home = tempfile::tempdir().expect("a folder for temporary files is there");
    server.write_kubeconfig(home.path().join("kubeconfig")).expect("the folder is writable");
    let crds: Api<CustomResourceDefinition> = Api::all(cluster.client());
    for crd in operator.definitions() {
        crds.create(&PostParams::default(), &crd).await.expect("the CRD is valid");
    }
    let running = tokio::spawn(operator.client(cluster.client()).run_until(pending()));
    let page = fs::read_to_string(format!("{folder}/terminal.txt")).expect("the chapter has a file terminal.txt");
    for part in page.split("$ ").filter(|part| !part.is_empty()) {
        let (command, shown) = part.split_once('\n').expect("each command is a line");
        let mut bash = Command::new("bash");
        // Kubectl caches the kinds of the server in its home folder.
        bash.args(["-c", command]).current_dir(folder).env("HOME", home.path());
        bash.env("KUBECONFIG", home.path().join("kubeconfig"));
        assert_eq!(printed(&bash.output().await.expect("bash is there")), shown.trim_end(), "`{command}` in {folder}");
    }
    running.abort();
}

fn printed(output: &Output) -> String {
    let both = [output.stdout.as_slice(), &output.stderr].concat();
    String::from_utf8_lossy(&both).trim_end().to_owned()
}
