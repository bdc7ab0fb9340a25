//! Differences between two texts, for the messages of failed assertions.

use similar::{ChangeTag, TextDiff};

/// The number of context lines around a change.
const AROUND: usize = 3;

/// Returns the different lines, `-` for expected and `+` for found, with some context. Returns `None` for equal texts.
pub(crate) fn diff(wanted: &str, found: &str) -> Option<String> {
    if wanted == found {
        return None;
    }
    let diff = TextDiff::from_lines(wanted, found);
    let mut out = Vec::new();
    for (nth, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if nth > 0 {
            out.push("  ...".to_owned());
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            out.push(format!("  {sign} {}", change.value().trim_end_matches('\n')).trim_end().to_owned());
        }
    }
    // If only the last line ending differs, there is no line to show.
    Some(if out.is_empty() { "  only the ends of the lines differ".to_owned() } else { out.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::diff;

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(diff("a\nb\n", "a\nb\n"), None);
    }

    #[test]
    fn changed_lines_are_shown_with_context() {
        let wanted = (0..20).map(|n| format!("{n}\n")).collect::<String>();
        let found = wanted.replace("10\n", "ten\n");
        let shown = diff(&wanted, &found).unwrap();
        assert_eq!(shown, "    7\n    8\n    9\n  - 10\n  + ten\n    11\n    12\n    13");
    }
}
