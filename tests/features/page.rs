//! Prints the table as a page of the guide.

use std::fmt::Write;

use crate::table::{Has, Row};

const INTRODUCTION: &str = "\
The features that users expect of an operator framework, compared with kube-rs, controller-runtime (with kubebuilder),
kopf and the Java Operator SDK. The page is generated from `tests/features/features.yaml`, which names the tests of each
feature; a test checks that they exist and run.

- yes: in the framework, documented, and held by tests
- part: with your own code or another package, or with the limit that the cell names
- no: not there
- ?: not checked
";

/// The page: a table for each group, then the counts.
pub(crate) fn page(rows: &[Row]) -> String {
    let mut page = INTRODUCTION.to_owned();
    for group in rows.chunk_by(|one, other| one.group == other.group) {
        let _ = write!(page, "\n**{}**\n\n", capitalised(&group[0].group));
        page.push_str("| feature | kube-rs | controller-runtime | kopf | Java SDK | evenkeel |\n| --- | --- | --- | --- | --- | --- |\n");
        for row in group {
            let Row { feature, kube, controller_runtime, kopf, josdk, .. } = row;
            let _ = writeln!(page, "| {feature} | {kube} | {controller_runtime} | {kopf} | {josdk} | {} |", own(row));
        }
    }
    let count = |has: Has| rows.iter().filter(|row| row.evenkeel == has).count();
    let (yes, part, no) = (count(Has::Yes), count(Has::Part), count(Has::No));
    let _ = write!(page, "\nOf {} features, evenkeel has {yes}, {part} in part, and lacks {no}.\n", rows.len());
    page
}

fn own(row: &Row) -> String {
    let has = match row.evenkeel {
        Has::Yes => "yes",
        Has::Part => "part",
        Has::No => "no",
    };
    let has = match &row.guide {
        Some(guide) => format!("[{has}](crate::guide::{guide})"),
        None => has.to_owned(),
    };
    if row.note.is_empty() { has } else { format!("{has}: {}", row.note) }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}
