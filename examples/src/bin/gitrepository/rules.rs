//! Files that are left out of an archive: rules in the form of `.gitignore`.

use std::io;

use gix::bstr::{BStr, ByteSlice};
use gix::glob::pattern::Case;
use gix::ignore::Search;
use gix::ignore::search::Ignore;

/// The name of the files with rules, which may be in any folder of a repository.
pub const FILE: &str = ".sourceignore";

/// Files that are ignored by default: those of git itself and of the usual build servers.
const ALWAYS: &str = "\
.git
.gitignore
.gitmodules
.gitattributes
.github/
.circleci/
.gitlab-ci.yml
.travis.yml
";

/// Rules; the last match decides.
#[derive(Debug)]
pub struct Rules(Search);

impl Rules {
    /// Combines the rules of the `.sourceignore` files of a tree, each for its folder, with those of the spec.
    ///
    /// # Errors
    /// A path is invalid.
    pub fn new(files: &[(Vec<u8>, Vec<u8>)], spec: Option<&str>) -> io::Result<Self> {
        let mut search = Search::default();
        search.add_patterns_buffer(ALWAYS.as_bytes(), FILE, None, Ignore::default())?;
        for (path, text) in files {
            let path = gix::path::from_byte_slice(path).map_err(io::Error::other)?;
            search.add_patterns_buffer(text, path, Some("".as_ref()), Ignore::default())?;
        }
        search.add_patterns_buffer(spec.unwrap_or_default().as_bytes(), FILE, None, Ignore::default())?;
        Ok(Self(search))
    }

    /// Whether the file is ignored. As in git, a file below an ignored folder cannot be included again.
    pub fn leave_out(&self, path: &[u8]) -> bool {
        let folders = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| &path[..end]);
        let mut folders = folders.map(|folder| self.matches(folder.as_bstr(), true));
        folders.any(|left_out| left_out) || self.matches(path.as_bstr(), false)
    }

    fn matches(&self, path: &BStr, is_folder: bool) -> bool {
        let found = self.0.pattern_matching_relative_path(path, Some(is_folder), Case::Sensitive);
        found.is_some_and(|found| !found.pattern.is_negative())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left_out(files: &[(&str, &str)], spec: Option<&str>, paths: &[&str]) -> Vec<String> {
        let files: Vec<_> =
            files.iter().map(|(path, text)| (path.as_bytes().to_vec(), text.as_bytes().to_vec())).collect();
        let rules = Rules::new(&files, spec).unwrap();
        paths.iter().filter(|path| rules.leave_out(path.as_bytes())).map(ToString::to_string).collect()
    }

    #[test]
    fn files_of_git_and_build_servers_are_excluded() {
        assert_eq!(
            left_out(&[], None, &["a", ".gitignore", "b/.gitattributes", ".github/x"]),
            [".gitignore", "b/.gitattributes", ".github/x"]
        );
    }

    #[test]
    fn a_sourceignore_file_applies_to_its_folder() {
        let files = [(".sourceignore", "*.md\n"), ("docs/.sourceignore", "!keep.md\n/drafts/\n")];
        let paths = ["a.md", "docs/b.md", "docs/keep.md", "docs/drafts/c", "drafts/d"];
        assert_eq!(left_out(&files, None, &paths), ["a.md", "docs/b.md", "docs/drafts/c"]);
    }

    #[test]
    fn rules_of_the_spec_override_files() {
        let files = [(".sourceignore", "!a.md\n")];
        assert_eq!(left_out(&files, Some("*.md\n!b.md"), &["a.md", "b.md", "c"]), ["a.md"]);
        assert_eq!(left_out(&files, Some("/*\n!/deploy/"), &["x", "deploy/y", "src/deploy/z"]), ["x", "src/deploy/z"]);
    }
}
