//! Generated files that are kept in a repository: compared with what is generated now, or written again.

use std::path::Path;

/// Set to `overwrite`, the files are written instead of compared.
const SWITCH: &str = "GENERATED";

/// Fails where the file does not hold the text, and says how to write it again: with `GENERATED=overwrite` in the environment.
///
/// ```no_run
/// # let page = String::new();
/// evenkeel_testkit::assert_generated("docs/reference.md", &page);
/// ```
///
/// # Panics
/// The file differs or cannot be read; with `GENERATED=overwrite`: it cannot be written.
#[track_caller]
pub fn assert_generated(path: impl AsRef<Path>, text: &str) {
    let path = path.as_ref();
    if std::env::var_os(SWITCH).is_some_and(|value| value == "overwrite") {
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let written = folder.and_then(|()| std::fs::write(path, text));
        assert!(written.is_ok(), "{} cannot be written: {written:?}", path.display());
        return;
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    if let Some(difference) = difference(&found, text) {
        panic!(
            "{} is not what is generated now: {difference}\n  help: {SWITCH}=overwrite cargo test ..",
            path.display()
        );
    }
}

/// The first line that differs.
fn difference(found: &str, wanted: &str) -> Option<String> {
    if found == wanted {
        return None;
    }
    let (mut a, mut b, mut number) = (found.lines(), wanted.lines(), 0);
    loop {
        number += 1;
        match (a.next(), b.next()) {
            (None, None) => return Some("only the ends of the lines differ".into()),
            (found, wanted) if found == wanted => {}
            (found, wanted) => {
                let [found, wanted] = [found, wanted].map(|line| line.unwrap_or("the end of the file"));
                return Some(format!("line {number}\n  file:      {found}\n  generated: {wanted}"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    #[test]
    fn the_first_line_that_differs_is_shown() {
        assert_eq!(difference("a\nb\n", "a\nb\n"), None);
        let shown = difference("a\nb\n", "a\nc\n").unwrap();
        assert!(
            shown.contains("line 2") && shown.contains("file:      b") && shown.contains("generated: c"),
            "{shown}"
        );
        assert!(difference("a\n", "a\nb\n").unwrap().contains("the end of the file"));
        assert!(difference("a", "a\n").is_some());
    }
}
