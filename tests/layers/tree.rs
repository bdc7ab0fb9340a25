//! The modules of a crate: their files, the names in these, and the file in which a path ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;

use crate::source::{Module, Source};

/// All modules below one `src`.
#[derive(Default)]
pub(crate) struct Tree {
    pub(crate) modules: BTreeMap<Module, File>,
}

/// The file of a module.
pub(crate) struct File {
    /// The path below `src`.
    pub(crate) name: String,
    /// The parsed source.
    pub(crate) source: Source,
    pub(crate) items: syn::File,
}

impl Tree {
    /// Reads all files below the folder.
    pub(crate) fn read(src: &Path) -> Result<Self, String> {
        let mut files = Vec::new();
        collect(src, src, &mut files).map_err(|error| format!("{}: {error}", src.display()))?;
        Self::of(files.iter().map(|(file, text)| (file.as_str(), text.as_str())))
    }

    /// The tree of these files, each with its text.
    pub(crate) fn of<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, String> {
        let files: BTreeMap<Module, (&str, &str)> =
            files.into_iter().map(|(file, text)| (module_of(file), (file, text))).collect();
        let mut tree = Self::default();
        for (module, (file, text)) in &files {
            let children: BTreeSet<String> = files.keys().filter_map(|other| child_of(other, module)).collect();
            let tokens: TokenStream = text.parse().map_err(|error| format!("{file}: {error}"))?;
            let source = Source::read(tokens.clone(), module, &children)?;
            let items = syn::parse2(tokens).map_err(|error| format!("{file}: {error}"))?;
            tree.modules.insert(module.clone(), File { name: (*file).to_owned(), source, items });
        }
        Ok(tree)
    }

    /// The module that declares the target of the path; re-exports are followed.
    pub(crate) fn home(&self, path: &[String]) -> &Module {
        let mut path = path.to_vec();
        // A name may be re-exported by several modules, but the search must end.
        for _ in 0..8 {
            let module = self.deepest(&path);
            let next = path.get(module.len()).and_then(|name| self.modules.get(module)?.source.imports.get(name));
            match next {
                Some(next) if !module.is_empty() => path = [next, &path[module.len() + 1..]].concat(),
                _ => return module,
            }
        }
        self.deepest(&path)
    }

    /// Whether the module declares a trait of this name.
    pub(crate) fn declares_trait(&self, (module, name): &(Module, String)) -> bool {
        let items = self.modules.get(module).map(|file| &file.items.items);
        items.is_some_and(|items| items.iter().any(|item| matches!(item, syn::Item::Trait(one) if one.ident == name)))
    }

    fn deepest(&self, path: &[String]) -> &Module {
        let modules = (0..=path.len()).rev().find_map(|length| self.modules.get_key_value(&path[..length]));
        modules.map_or(&ROOT, |(module, _)| module)
    }
}

static ROOT: Module = Module::new();

/// The module of a file.
fn module_of(file: &str) -> Module {
    let path = file.trim_end_matches(".rs");
    match path.strip_suffix("/mod").unwrap_or(path) {
        "lib" => Module::new(),
        path => path.split('/').map(ToOwned::to_owned).collect(),
    }
}

fn child_of(module: &Module, parent: &Module) -> Option<String> {
    let (last, before) = module.split_last()?;
    (before == parent.as_slice()).then(|| last.clone())
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(root, &path, files)?;
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            files.push((name, fs::read_to_string(&path)?));
        }
    }
    Ok(())
}
