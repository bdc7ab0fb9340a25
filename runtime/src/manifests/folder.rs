//! A folder of generated files: writing it, and comparing it with one on disk.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use similar::TextDiff;

use super::document::{Document, Part, print};
use super::invalid::Invalid;

/// The file that lists the others, and how they were made.
const RECORD: &str = "generated.json";

/// How the files of a folder were made, so that they can be compared without repeating it.
#[derive(Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Record {
    /// The arguments after the word `manifests`, without the folder.
    pub(crate) arguments: Vec<String>,
    /// All generated files, by their paths within the folder.
    files: Vec<String>,
}

/// Generated files, by their paths within a folder.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Folder {
    pub(super) files: BTreeMap<String, String>,
    /// Files that users edit: written once, and never compared.
    pub(super) samples: BTreeMap<String, String>,
}

impl Record {
    /// The record of a folder.
    pub(crate) fn read(folder: &Path) -> Result<Self, Invalid> {
        let path = folder.join(RECORD);
        let text = fs::read_to_string(&path).map_err(|error| {
            let help = "write the folder first, with `manifests --out`, and give that folder";
            Invalid::new(format!("{} cannot be read: {error}", path.display()), help)
        })?;
        serde_json::from_str(&text).map_err(|error| {
            Invalid::new(
                format!("{} is no record: {error}", path.display()),
                "write the folder again, with `manifests --out`",
            )
        })
    }

    fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }
}

impl Folder {
    /// One file for each part that has objects.
    pub(crate) fn of_parts(documents: &[Document]) -> io::Result<Self> {
        let mut folder = Self::default();
        for part in Part::ALL {
            let text = print(documents.iter().filter(|document| document.part == part))?;
            if !text.is_empty() {
                folder.files.insert(format!("{}.yaml", part.as_str()), text);
            }
        }
        Ok(folder)
    }

    /// Writes the files, and removes those that an earlier run wrote and this one does not.
    pub(crate) fn write(&self, folder: &Path, arguments: Vec<String>) -> Result<(), Invalid> {
        let stale = self.stale(&Record::read(folder).unwrap_or_default());
        for (path, text) in &self.files {
            write(&folder.join(path), text)?;
        }
        for (path, text) in self.samples.iter().filter(|(path, _)| !folder.join(path).exists()) {
            write(&folder.join(path), text)?;
        }
        for path in stale {
            // It may be gone already.
            let _ = fs::remove_file(folder.join(path));
        }
        write(&folder.join(RECORD), &self.record(arguments).text())
    }

    /// The differences from a folder on disk, as a unified diff; empty if there are none.
    pub(crate) fn differences(&self, folder: &Path, record: &Record) -> String {
        let on_disk = |path: &str| fs::read_to_string(folder.join(path)).unwrap_or_default();
        let changed = self.files.iter().map(|(path, text)| diff(path, &on_disk(path), text));
        let stale = self.stale(record).into_iter().map(|path| diff(&path, &on_disk(&path), ""));
        changed.chain(stale).collect()
    }

    fn record(&self, arguments: Vec<String>) -> Record {
        Record { arguments, files: self.files.keys().cloned().collect() }
    }

    /// What the record lists and this folder does not have. A path that leaves the folder is none of ours.
    fn stale(&self, record: &Record) -> Vec<String> {
        let is_inside =
            |path: &&String| PathBuf::from(path).components().all(|part| matches!(part, Component::Normal(_)));
        let is_gone = |path: &&String| !self.files.contains_key(*path) && !self.samples.contains_key(*path);
        record.files.iter().filter(is_gone).filter(is_inside).cloned().collect()
    }
}

fn diff(path: &str, before: &str, after: &str) -> String {
    if before == after {
        return String::new();
    }
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(3).header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}

fn write(path: &Path, text: &str) -> Result<(), Invalid> {
    let folder = path.parent().map_or(Ok(()), fs::create_dir_all);
    folder.and_then(|()| fs::write(path, text)).map_err(|error| {
        Invalid::new(format!("{} cannot be written: {error}", path.display()), "give another folder with `--out`")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> Folder {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Folder { files, samples: [("sample.yaml".to_owned(), "mine\n".to_owned())].into() }
    }

    #[test]
    fn an_edited_a_missing_and_a_stale_file_are_differences() {
        let place = tempfile::tempdir().unwrap();
        let before = folder(&[("a/a.yaml", "a\n"), ("b.yaml", "b\n")]);
        before.write(place.path(), vec!["--image=x".to_owned()]).unwrap();
        let record = Record::read(place.path()).unwrap();
        assert_eq!(record.arguments, ["--image=x"]);
        assert_eq!(before.differences(place.path(), &record), "");
        fs::write(place.path().join("sample.yaml"), "edited\n").unwrap();
        fs::write(place.path().join("mine.yaml"), "mine\n").unwrap();
        assert_eq!(before.differences(place.path(), &record), "", "samples and files of the user do not count");
        fs::write(place.path().join("a/a.yaml"), "edited\n").unwrap();
        let text = before.differences(place.path(), &record);
        assert_eq!(text, "--- a/a/a.yaml\n+++ b/a/a.yaml\n@@ -1 +1 @@\n-edited\n+a\n");
        let after = folder(&[("b.yaml", "b\n"), ("c.yaml", "c\n")]);
        let text = after.differences(place.path(), &record);
        assert!(text.contains("-edited") && text.contains("+c") && !text.contains("b.yaml"), "{text}");
        after.write(place.path(), Vec::new()).unwrap();
        assert!(!place.path().join("a/a.yaml").exists() && place.path().join("mine.yaml").exists());
        assert_eq!(fs::read_to_string(place.path().join("sample.yaml")).unwrap(), "edited\n");
    }

    #[test]
    fn a_record_cannot_name_a_file_elsewhere() {
        let record = Record { arguments: Vec::new(), files: vec!["../x".to_owned(), "/x".to_owned(), "x".to_owned()] };
        assert_eq!(folder(&[]).stale(&record), ["x"]);
    }

    #[test]
    fn a_folder_without_a_record_has_a_clear_error() {
        let place = tempfile::tempdir().unwrap();
        let Invalid { headline, help } = Record::read(place.path()).unwrap_err();
        assert!(headline.contains("generated.json") && help.contains("`manifests --out`"), "{headline}");
        fs::write(place.path().join(RECORD), "[]").unwrap();
        assert!(Record::read(place.path()).unwrap_err().headline.contains("is no record"));
    }
}
