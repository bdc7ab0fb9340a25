//! Lines of code: neither blank, nor a comment, nor documentation. One rule for Rust, Go and Python.

use crate::Result;
use crate::framework::{Framework, read};

/// The lines of code of an operator's own files.
pub fn of(framework: Framework) -> Result<usize> {
    framework.files().iter().map(|file| Ok(count(file, &read(file)?))).sum()
}

/// The lines of code of a file, by the comments of its language.
#[must_use]
pub fn count(file: &str, text: &str) -> usize {
    if file.ends_with(".py") { count_python(text) } else { count_slashes(text) }
}

fn count_slashes(text: &str) -> usize {
    let mut in_block = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        if in_block || line.starts_with("/*") {
            in_block = !line.ends_with("*/");
            return false;
        }
        !line.is_empty() && !line.starts_with("//")
    };
    text.lines().filter(is_code).count()
}

fn count_python(text: &str) -> usize {
    let mut in_text = false;
    let is_code = |line: &&str| {
        let line = line.trim();
        if in_text || line.starts_with("\"\"\"") {
            let ends = line.ends_with("\"\"\"") && (in_text || line.len() > 3);
            in_text = !ends;
            return false;
        }
        !line.is_empty() && !line.starts_with('#')
    };
    text.lines().filter(is_code).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_comments_and_documentation_do_not_count() {
        let rust = "//! A file.\n\n/// A doc.\n#[derive(Debug)]\nstruct A; // code\n/* a\n b */\nfn f() {}\n";
        assert_eq!(count("a.rs", rust), 3);
        assert_eq!(count("a.go", "// Package a\npackage a\n\n/* one line */\nfunc f() {\n}\n"), 3);
        let python = "\"\"\"A file.\"\"\"\n\nimport os  # code\n\ndef f():\n    \"\"\"Two\n    lines.\"\"\"\n    # no\n    return 1\n";
        assert_eq!(count("a.py", python), 3);
    }
}
