//! What the command `migrate` has done, as text and as JSON.

use std::io::Write;

use serde::Serialize;

use super::objects::{Failure, Written};
use crate::operator::error::Result;
use crate::operator::explain::{self, Output};

/// How many failures the text shows. JSON contains all.
const SHOWN: usize = 20;

/// What became of the objects of one CRD.
#[derive(Debug, Serialize)]
pub(super) struct Outcome {
    pub(super) crd: String,
    pub(super) storage: String,
    /// `status.storedVersions` of the CRD before and after.
    pub(super) before: Vec<String>,
    pub(super) stored: Vec<String>,
    #[serde(flatten)]
    pub(super) written: Written,
}

impl Outcome {
    /// All objects are stored in this version already.
    pub(super) fn nothing(crd: &str, storage: String) -> Self {
        let all = vec![storage.clone()];
        Self { crd: crd.to_owned(), storage, before: all.clone(), stored: all, written: Written::default() }
    }

    pub(super) fn has_failed(&self) -> bool {
        !self.written.failures.is_empty()
    }

    fn text(&self) -> String {
        let Self { crd, storage, before, stored, written } = self;
        if before == stored && !self.has_failed() {
            return format!("{crd}: all objects are stored in {storage} already\n");
        }
        let Written { objects, changed, failures } = written;
        let changed = match changed {
            0 => String::new(),
            changed => format!(", {changed} changed or deleted meanwhile"),
        };
        if !self.has_failed() {
            let removed: Vec<&str> = before.iter().filter(|one| !stored.contains(one)).map(String::as_str).collect();
            let removed = removed.join(", ");
            return format!(
                "{crd}: {objects} objects written in {storage}{changed}; no object is stored in {removed} any more\n"
            );
        }
        let shown: String = failures.iter().take(SHOWN).map(Failure::line).collect();
        let more = match failures.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!("  and {more} more; `--output json` prints all\n"),
        };
        format!(
            "{crd}: {objects} objects written in {storage}{changed}, {} not; `status.storedVersions` stays {}\n{shown}{more}  help: mend \
             these objects, and run `migrate` again\n",
            failures.len(),
            before.join(", ")
        )
    }
}

impl Failure {
    fn line(&self) -> String {
        format!("  {}: {}\n", self.object, self.error)
    }
}

/// Prints what was done.
///
/// # Errors
/// The output cannot be written.
pub(super) fn print(out: impl Write, output: Output, outcomes: &[Outcome]) -> Result {
    let text = match outcomes {
        [] => "this operator has no CRD\n".to_owned(),
        outcomes => outcomes.iter().map(Outcome::text).collect(),
    };
    explain::print(out, output, &outcomes, &text)
}
