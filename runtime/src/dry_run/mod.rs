//! The dry run of an operator: its writes are simulated by the API server and printed, and nothing else is changed.

mod client;
mod diff;
mod report;

use std::fmt::Write;

use kube::Client;

pub(crate) use self::report::{DryRun, Pending};
use crate::api::DryRunLog;

impl DryRunLog for DryRun {
    fn would_run(&self, part: &str) {
        self.left_out(part);
    }

    fn would_start(&self, part: &str) {
        let _ = writeln!(self.lock().text, "  would start {part}");
    }

    fn halt(&self, step: &'static str) {
        self.lock().halted.insert(step);
    }

    fn is_halted(&self, step: &'static str) -> bool {
        self.lock().halted.contains(step)
    }

    fn begin(&self, step: &'static str) {
        self.lock().halted.remove(step);
    }

    fn cannot_run(&self, steps: &[&str], without: &str) {
        let steps = steps.iter().map(|step| format!("`{step}`")).collect::<Vec<_>>().join(", ");
        let _ = writeln!(self.lock().text, "  not known: {steps}, since `{without}` did not run");
    }

    fn is_incomplete(&self) -> bool {
        self.lock().incomplete
    }

    fn client(&'static self, client: &Client) -> Client {
        client::simulated(client, self)
    }
}
