//! The files of a folder, with the kinds of their documents.

use std::fmt;

use crate::kind::TextKind;

/// The templates of a folder, as [`templates!`](crate::templates) embeds them.
///
/// The files with the endings `.yaml`, `.yml` and `.json` are rendered, in the order of their names. Files whose names begin with `_` are
/// partials: other files include or import them.
///
/// The language is that of Jinja ([minijinja](https://docs.rs/minijinja)). These rules differ from its defaults:
///
/// - `{{ .. }}` prints JSON, which is valid YAML. A value cannot contain YAML or template syntax.
/// - A value that is missing is an error, unless `default` or `is defined` handles it.
/// - A value that is `null` is missing.
/// - A file may execute 5 million instructions, and all files together may print 32 MiB.
#[derive(Clone, Copy, Debug)]
pub struct Templates {
    pub(super) folder: &'static str,
    pub(super) files: &'static [TemplateFile],
    pub(super) kinds: &'static [TextKind],
}

/// One embedded file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub struct TemplateFile {
    /// The path below the folder, with `/`.
    pub name: &'static str,
    /// The content.
    pub text: &'static str,
}

impl Templates {
    /// The templates of a folder, and the kinds of their documents.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(folder: &'static str, files: &'static [TemplateFile], kinds: &'static [TextKind]) -> Self {
        Self { folder, files, kinds }
    }

    /// Whether it is the other set.
    pub(crate) fn is(&self, other: &Self) -> bool {
        self.folder == other.folder && self.files == other.files
    }
}

impl fmt::Display for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the templates of {}", self.folder)
    }
}

impl TemplateFile {
    /// Whether the file is included by others, and not rendered itself.
    pub(super) fn is_partial(&self) -> bool {
        self.name.rsplit('/').next().is_some_and(|name| name.starts_with('_'))
    }
}
