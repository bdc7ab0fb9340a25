//! The resident memory of a controller after a relist. Each controller has a process of its own: this program runs itself.

use std::process::Command;

use evenkeel_bench::answers::Answers;
use evenkeel_bench::hand::{b0_of, b1_of};
use evenkeel_bench::kind::Release;
use evenkeel_bench::ours::{plain, start};
use evenkeel_bench::report::Report;
use evenkeel_bench::resident::resident;
use evenkeel_bench::sample::Sample;
use kube::{Client, CustomResourceExt};

use crate::count::{begin, runtime, settle};

/// The variable that selects the controller of such a process.
pub(crate) const WHO: &str = "EVENKEEL_RESIDENT";

const OBJECTS: usize = 10_000;
/// The largest share of the memory of B1.
const SHARE: f64 = 0.60;

/// Adds a sentence with the bytes per object. A sentence is not compared with the committed one: pages vary by some percent.
pub(crate) fn note(report: &mut Report) {
    let [ours, b0, b1] = ["ours", "b0", "b1"].map(bytes);
    let missed = ours > SHARE * b1;
    let mark = if missed { " **MISSED**" } else { "" };
    report.note(
        &format!(
            "Resident memory after a relist of {OBJECTS} releases, in bytes per object: evenkeel {ours:.0}, B0 {b0:.0}, B1 {b1:.0}; \
             {:.3} of B0, {:.3} of B1, at most {SHARE:.2}.{mark}",
            ours / b0,
            ours / b1
        ),
        missed,
    );
}

fn bytes(who: &str) -> f64 {
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program).env(WHO, who).output().expect("it starts");
    assert!(output.status.success(), "{who}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
}

/// Runs the controller, and prints the bytes per object.
pub(crate) fn run(who: &str) {
    let answers = Answers::lazy(Sample::read("releases"), &Release::crd(), OBJECTS, 500, |work| work());
    let before = resident();
    match who {
        "ours" => relist(&answers, start::<plain>),
        "b0" => relist(&answers, b0_of::<Release>),
        "b1" => relist(&answers, b1_of::<Release>),
        _ => panic!("no controller {who}"),
    }
    println!("{}", (resident() - before) / OBJECTS as f64);
    // Without the end of the controller.
    std::process::exit(0);
}

fn relist<F: Future<Output = ()> + Send + 'static>(answers: &Answers, controller: impl Fn(Client) -> F) {
    let runtime = runtime();
    begin(&runtime, answers, controller);
    answers.forget();
    settle(&runtime);
    std::mem::forget(runtime);
}
