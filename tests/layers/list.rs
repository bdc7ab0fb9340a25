//! The list of layers: the folders from top to bottom, and the known import cycles of files inside them.

use std::collections::{BTreeMap, BTreeSet};

/// `runtime/layers.txt`.
#[derive(Debug, Default)]
pub(crate) struct List {
    /// The height of each folder or file at the top of `src`: a module may import from lower ones only.
    pub(crate) heights: BTreeMap<String, usize>,
    /// Modules outside the layers: re-exports, which no module imports.
    pub(crate) outside: BTreeSet<String>,
    /// Files that import each other, by folder.
    pub(crate) circles: BTreeSet<(String, BTreeSet<String>)>,
}

impl List {
    /// Parses the list; each line ends with a remark.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let (mut list, mut section, mut layers) = (Self::default(), "", Vec::new());
        for (at, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with('[') {
                section = line;
                continue;
            }
            let wrong = |why: &str| format!("line {}: {why}", at + 1);
            let (names, remark) = line.split_once('#').ok_or_else(|| wrong("add a remark, after `#`"))?;
            if remark.trim().is_empty() {
                return Err(wrong("the remark is empty"));
            }
            let mut names = names.split_whitespace().map(ToOwned::to_owned);
            match section {
                "[layers]" => layers.push(names.collect::<Vec<_>>()),
                "[outside]" => list.outside.extend(names),
                "[circles]" => {
                    let folder = names.next().and_then(|name| name.strip_suffix(':').map(ToOwned::to_owned));
                    let folder = folder.ok_or_else(|| wrong("begin with the folder: `watch: a b`"))?;
                    list.circles.insert((folder, names.collect()));
                }
                _ => return Err(wrong("begin a section: [layers], [outside] or [circles]")),
            }
        }
        let heights = layers.into_iter().rev().enumerate();
        list.heights = heights.flat_map(|(height, names)| names.into_iter().map(move |name| (name, height))).collect();
        Ok(list)
    }
}
