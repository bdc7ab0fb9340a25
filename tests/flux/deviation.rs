//! Where we differ from the reference on purpose: the one file that says so.

pub(crate) use evenkeel_tests::deviation::{Difference, Found};

use evenkeel_tests::deviation::{Deviation, listed};

/// The file; its head says how a line is written.
const FILE: &str = include_str!("deviations.txt");

/// All lines.
pub(crate) fn deviations() -> Vec<Deviation> {
    listed(FILE)
}

/// What differs and is not listed, and what is listed and does not differ.
pub(crate) fn complaints(suite: &str, found: &[Found]) -> Vec<String> {
    evenkeel_tests::deviation::complaints(FILE, suite, found)
}
