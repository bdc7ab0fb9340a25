//! Runs one pass of each object without changing anything, and prints what the passes would do.

use std::io::{self, Write};

use futures::future::try_join_all;

use super::builder::Operator;
use super::context::{context, something_to_do};
use super::error::{Error, Reason, Result};
use super::shard_caches::Part;
use crate::dry_run::{DryRun, Pending};
use crate::outcome::Outcome;

/// See [`Operator::dry_run`].
pub(super) async fn dry_run(mut operator: Operator, out: impl Write + Send) -> Result {
    // Each step of the dry run refers to its log, so the log stays for the rest of the process, as small as it is.
    let log: &'static DryRun = Box::leak(Box::default());
    operator.listeners.clear();
    let mut operator = operator.on_pass_end(move |report| {
        if let (false, text) = (is_success(report.outcome), &report.message) {
            log.ended(format!("{}: {}: {text}", report.outcome.as_str(), report.reason));
        }
    });
    let context = context(&mut operator, Some(log), Part::all()).await?;
    let members: Vec<_> = operator.members.into_iter().map(|member| member.prepare(context.clone())).collect();
    let _watches = context.watches.start();
    let prepared = try_join_all(members).await?;
    something_to_do(&prepared)?;
    let mut printer = Printer { out, counts: Counts::default(), error: None };
    for reconciler in prepared {
        reconciler.run_each(&mut |object| printer.print(object, &log.take())).await;
    }
    printer.finish().map_err(unwritten)
}

fn is_success(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Done | Outcome::Ignored | Outcome::Requeue { .. })
}

fn unwritten(error: io::Error) -> Error {
    let headline = format!("the output of the dry run cannot be written: {error}");
    Error::new(Reason::Config, headline, "check where it goes").caused_by(error)
}

/// Prints the reports of objects.
struct Printer<W> {
    out: W,
    counts: Counts,
    error: Option<io::Error>,
}

#[derive(Default)]
struct Counts {
    objects: usize,
    changed: usize,
    unknown: usize,
    writes: usize,
    rejected: usize,
}

impl<W: Write> Printer<W> {
    /// Prints the report of one object, unless nothing happens to it.
    fn print(&mut self, object: &str, pending: &Pending) {
        let Counts { objects, changed, unknown, writes, rejected } = &mut self.counts;
        *objects += 1;
        *changed += usize::from(pending.changes > 0);
        *unknown += usize::from(pending.incomplete);
        *writes += pending.changes;
        *rejected += pending.rejected;
        let outcome = pending.outcome.iter().map(|outcome| format!(": {outcome}")).collect::<String>();
        if pending.text.is_empty() && outcome.is_empty() {
            return;
        }
        let status = if pending.incomplete { "  not known: the status\n" } else { "" };
        if let Err(error) = write!(self.out, "{object}{outcome}\n{}{status}", pending.text) {
            self.error.get_or_insert(error);
        }
    }

    /// Prints the sums.
    ///
    /// # Errors
    /// The output cannot be written.
    fn finish(mut self) -> io::Result<()> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let Counts { objects, changed, unknown, writes, rejected } = self.counts;
        writeln!(
            self.out,
            "dry run: objects: {objects}, with changes: {changed}, with an unknown status: {unknown}, writes: {writes}, rejected writes: {rejected}"
        )?;
        self.out.flush()
    }
}
