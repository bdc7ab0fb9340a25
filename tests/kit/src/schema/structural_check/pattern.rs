//! Rejects patterns that an API server does not accept.

use regex::Regex;
use serde_json::Value;

use super::super::cause::{Cause, Causes};
use super::super::node::{Node, quoted};

/// Maximum repeat count in a pattern that an API server accepts.
const MOST: u32 = 1000;

pub(super) fn check(node: &Node, at: &str, causes: &mut Causes) {
    let Some(pattern) = node.get("pattern").and_then(Value::as_str) else { return };
    if let Some(reason) = mistake(pattern) {
        let text = format!("must be a valid regular expression, but isn't: {reason}");
        causes.push(Cause::invalid(&format!("{at}.pattern"), quoted(pattern), text));
    }
}

/// The reason for rejecting the pattern.
fn mistake(pattern: &str) -> Option<String> {
    if let Some(count) = excess(pattern) {
        return Some(format!("error parsing regexp: invalid repeat count: `{count}`"));
    }
    let error = Regex::new(pattern).err()?.to_string();
    Some(error.lines().last().unwrap_or_default().to_owned())
}

/// The first repeat count that is too large, such as `{1001}`. Escaped ones and those in a character class are ignored.
fn excess(pattern: &str) -> Option<&str> {
    let (mut is_escaped, mut is_class) = (false, false);
    for (at, c) in pattern.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => is_class = true,
            ']' => is_class = false,
            '{' if !is_class => {
                let end = pattern[at..].find('}').map(|end| at + end);
                let count = end.map(|end| &pattern[at + 1..end]).filter(|count| is_excess(count));
                if let Some(count) = count {
                    return Some(&pattern[at..at + count.len() + 2]);
                }
            }
            _ => {}
        }
    }
    None
}

/// Whether a count of the form `n`, `n,` or `n,m` is too large, or its maximum is less than its minimum.
fn is_excess(count: &str) -> bool {
    let (least, most) = count.split_once(',').unwrap_or((count, count));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(least) || !(most.is_empty() || is_number(most)) {
        return false;
    }
    // The text consists of digits, so parsing fails only on overflow.
    let read = |text: &str| text.parse().unwrap_or(u32::MAX);
    let (least, most) = (read(least), if most.is_empty() { read(least) } else { read(most) });
    least.max(most) > MOST || least > most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeat_counts_have_a_limit() {
        let found = ["a{1001}", "a{2,1}", "(a{2}){99999999999}", "b{7,1001}c", "b{1001,}"].map(excess);
        let expected = ["{1001}", "{2,1}", "{99999999999}", "{7,1001}", "{1001,}"];
        assert_eq!(found, expected.map(Some));
        let fine = ["a{1000}", "[{1001}]", "\\{1001}", "a{,1001}", "a{x}", "a{", "\\\\{1000}", "é{5,1000}"];
        assert_eq!(fine.map(excess), [None; 8]);
    }
}
