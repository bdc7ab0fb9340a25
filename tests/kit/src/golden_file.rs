//! Comparison of committed generated files with freshly generated text.

use std::path::Path;

use crate::diff::diff;

/// The environment variable. If it is `overwrite`, the files are written instead of compared.
const SWITCH: &str = "GENERATED";

/// Asserts that a file contains the given text.
///
/// With `GENERATED=overwrite` in the environment, it writes the file instead.
///
/// ```no_run
/// # let page = String::new();
/// evenkeel_testkit::assert_generated("docs/reference.md", &page);
/// ```
///
/// # Panics
/// Panics if the file differs or cannot be read, or, with `GENERATED=overwrite`, if it cannot be written.
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
    if let Some(difference) = diff(&found, text) {
        panic!(
            "{} is not what is generated now: - in the file, + now\n{difference}\n  help: {SWITCH}=overwrite cargo test ..",
            path.display()
        );
    }
}
