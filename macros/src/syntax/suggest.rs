//! Suggestions: the most similar of the valid words.

/// Arguments that were renamed.
const RENAMED: [(&str, &str); 6] = [
    ("after", "on_end"),
    ("after", "after_steps"),
    ("before", "before_steps"),
    ("manager", "field_manager"),
    ("managers", "field_managers"),
    ("requested", "request_annotation"),
];

/// The help line for an unknown word: its new name, the most similar valid one, or the list of all.
pub(crate) fn help(word: &str, valid: &[&str]) -> String {
    if let Some(new) = renamed(word, valid) {
        return format!("`{word}` is called `{new}` now");
    }
    match nearest(word, valid) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use {}", list(valid)),
    }
}

/// The valid word that an unknown one stands for: its new name, or the most similar one.
pub(crate) fn meant<'a>(word: &str, valid: &[&'a str]) -> Option<&'a str> {
    renamed(word, valid).or_else(|| nearest(word, valid))
}

fn renamed<'a>(word: &str, valid: &[&'a str]) -> Option<&'a str> {
    let new = |valid: &&&str| RENAMED.contains(&(word, valid));
    valid.iter().find(new).copied()
}

/// The most similar valid word, if its distance is at most a third of the letters.
pub(crate) fn nearest<'a>(word: &str, valid: &[&'a str]) -> Option<&'a str> {
    let scored = valid.iter().map(|v| (strsim::levenshtein(word, v), *v));
    let (steps, near) = scored.min_by_key(|(steps, _)| *steps)?;
    let close = steps <= near.len().div_ceil(3) || (word.len() > 2 && near.starts_with(word));
    close.then_some(near)
}

/// The words as a list in prose: `a`, `b` or `c`.
pub(crate) fn list(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|w| format!("`{w}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_word_gets_the_similar_one() {
        let valid = ["conditions", "requeue", "timeout"];
        assert_eq!(help("condition", &valid), "did you mean `conditions`?");
        assert_eq!(help("requue", &valid), "did you mean `requeue`?");
        assert_eq!(help("cond", &valid), "did you mean `conditions`?");
    }

    #[test]
    fn an_old_name_gets_the_new_one_where_that_is_valid() {
        assert_eq!(
            help("requested", &["requeue", "request_annotation"]),
            "`requested` is called `request_annotation` now"
        );
        assert_eq!(help("after", &["before", "x"]), "use `before` or `x`");
        assert_eq!(meant("after", &["read", "after_steps"]), Some("after_steps"));
    }

    #[test]
    fn a_strange_word_gets_the_list() {
        assert_eq!(help("banana", &["sets", "reads"]), "use `sets` or `reads`");
        assert_eq!(help("x", &["crate"]), "use `crate`");
    }
}
