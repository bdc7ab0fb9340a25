//! Other repositories whose archives are included.

use std::path::{Component, Path};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::storage::Artifact;

/// Another GitRepository of the same namespace, the archive of which goes into this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Include {
    /// Its name.
    pub repository: String,
    /// The folder of its archive that is taken: all of it if absent.
    pub from_path: Option<String>,
    /// The folder into which it goes: one of its own name if absent.
    pub to_path: Option<String>,
}

/// An include that is invalid on its own, independent of other objects.
#[derive(Debug, thiserror::Error)]
#[error("the include of `{repository}` is not valid: {why}")]
pub struct InvalidInclude {
    repository: String,
    why: String,
}

/// An archive and the target folder of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Included {
    /// The archive.
    pub artifact: Artifact,
    /// The folder inside the archive; empty for all of it.
    pub from: String,
    /// The target folder of its files.
    pub to: String,
}

impl Include {
    /// Checks the include of the repository `own`.
    ///
    /// # Errors
    /// It includes itself, or a path leaves its folder.
    pub fn check(&self, own: &str) -> Result<(), InvalidInclude> {
        let wrong = |why| Err(InvalidInclude { repository: self.repository.clone(), why });
        if self.repository == own {
            return wrong("a repository cannot include itself".to_owned());
        }
        for path in [&self.from_path, &self.to_path].into_iter().flatten() {
            if !Path::new(path).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
                return wrong(format!("`{path}` leads out of its folder, write a relative path without `..`"));
            }
        }
        Ok(())
    }

    /// Combines the include with the artifact.
    pub fn of(&self, artifact: Artifact) -> Included {
        let folder = |path: &str| {
            let parts = Path::new(path).components().filter(|part| matches!(part, Component::Normal(_)));
            parts.map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/")
        };
        let from = folder(self.from_path.as_deref().unwrap_or_default());
        let to = folder(self.to_path.as_deref().unwrap_or(&self.repository));
        Included { artifact, from, to }
    }
}

impl Included {
    /// Returns the target path of a file of the archive; `None` if the file is outside the included folder.
    pub fn place(&self, path: &str) -> Option<String> {
        let below = match self.from.as_str() {
            "" => path,
            from => path.strip_prefix(from)?.strip_prefix('/')?,
        };
        Some(if self.to.is_empty() { below.to_owned() } else { format!("{}/{below}", self.to) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn include(from: Option<&str>, to: Option<&str>) -> Include {
        Include { repository: "base".into(), from_path: from.map(Into::into), to_path: to.map(Into::into) }
    }

    #[test]
    fn an_invalid_include_is_refused() {
        assert!(include(None, None).check("base").unwrap_err().to_string().contains("itself"));
        for path in ["../x", "/etc", "a/../../b"] {
            assert!(include(Some(path), None).check("app").unwrap_err().to_string().contains(path));
            assert!(include(None, Some(path)).check("app").is_err());
        }
        assert!(include(Some("./deploy"), Some("base/deploy")).check("app").is_ok());
    }

    #[test]
    fn included_files_are_placed_in_the_target_folder() {
        let all = include(None, None).of(Artifact::default());
        assert_eq!(all.place("a/b").unwrap(), "base/a/b");
        let some = include(Some("./deploy/"), Some("x/y")).of(Artifact::default());
        assert_eq!(some.place("deploy/a").unwrap(), "x/y/a");
        assert_eq!((some.place("deployment"), some.place("src/a")), (None, None));
        assert_eq!(include(None, Some(".")).of(Artifact::default()).place("a").unwrap(), "a");
    }
}
