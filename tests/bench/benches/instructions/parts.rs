//! The instructions of an event by part, from the names of the functions that execute them.

use std::collections::HashMap;

/// The parts, and words in the names of their functions; the first match counts, and `the rest` takes everything else.
const WORDS: [(&str, &[&str]); 4] = [
    ("memory", &["malloc", "free", "realloc", "calloc", "_int_", "mem", "alloc::"]),
    ("decoding", &["serde", "eserialize", "json", "visit_", "jiff", "utf8", "timestamp"]),
    ("maps and hashes", &["btree", "hash", "Hash", "indexmap"]),
    ("watch, queue, pass", &["kube_", "evenkeel", "futures", "tokio", "tracing", "tower", "http", "hyper"]),
];

/// The names of the parts.
pub(crate) const PARTS: [&str; 5] = [WORDS[0].0, WORDS[1].0, WORDS[2].0, WORDS[3].0, "the rest"];

/// The parts of a profile, in the order of their names.
pub(crate) fn parts(profile: &HashMap<String, f64>) -> Vec<f64> {
    let mut parts = vec![0.0; PARTS.len()];
    for (name, instructions) in profile {
        let fits = |words: &[&str]| words.iter().any(|word| name.contains(word));
        let at = WORDS.iter().position(|(_, words)| fits(words)).unwrap_or(WORDS.len());
        parts[at] += instructions;
    }
    parts
}
