//! The files of the folder.

use std::fs;
use std::path::{Path, PathBuf};

use syn::LitStr;

use crate::errors::mistake;
use crate::syntax::suggest;

/// A file with templates.
#[derive(Debug, PartialEq)]
pub(super) struct TemplateFile {
    /// The path below the folder, with `/`.
    pub(super) name: String,
    pub(super) text: String,
}

impl TemplateFile {
    /// Whether other files include it, and it is not rendered itself.
    pub(super) fn is_partial(&self) -> bool {
        self.name.rsplit('/').next().is_some_and(|name| name.starts_with('_'))
    }

    pub(super) fn is_json(&self) -> bool {
        self.name.ends_with(".json")
    }
}

/// The endings of rendered files. A partial may have any ending.
const ENDINGS: [&str; 3] = [".yaml", ".yml", ".json"];

/// Reads the folder below the manifest of the package, sorted by name.
pub(super) fn read(folder: &LitStr) -> syn::Result<Vec<TemplateFile>> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let (name, path) = (folder.value(), root.join(folder.value()));
    if !path.is_dir() {
        return Err(mistake(folder, format_args!("the folder `{name}` does not exist"), missing(&name, &path)));
    }
    let mut files = Vec::new();
    list(&path, "", &mut files)
        .map_err(|error| mistake(folder, format_args!("a file in `{name}` cannot be read"), error))?;
    files.sort_by(|one, other| one.name.cmp(&other.name));
    if files.iter().all(TemplateFile::is_partial) {
        let help = "add a file such as `web.yaml`; files whose names begin with `_` are only included by others";
        return Err(mistake(folder, format_args!("the folder `{name}` contains no YAML"), help));
    }
    Ok(files)
}

/// The help line for a folder that does not exist: a similar one next to it.
fn missing(name: &str, path: &Path) -> String {
    let entries = path.parent().into_iter().filter_map(|parent| fs::read_dir(parent).ok()).flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name());
    let mut folders: Vec<String> = folders.filter_map(|name| name.into_string().ok()).collect();
    folders.sort();
    let (parent, last) = name.rsplit_once('/').map_or(("", name), |(parent, last)| (&name[..=parent.len()], last));
    let folders: Vec<&str> = folders.iter().map(String::as_str).collect();
    match suggest::nearest(last, &folders) {
        Some(near) => format!("did you mean `{parent}{near}`?"),
        None => "the path begins at the folder with the `Cargo.toml` of the package".into(),
    }
}

/// Adds the templates below a folder. Hidden files and those of other endings are left out.
fn list(folder: &Path, prefix: &str, files: &mut Vec<TemplateFile>) -> Result<(), String> {
    let failed = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    for entry in fs::read_dir(folder).map_err(|error| failed(folder, error))? {
        let path = entry.map_err(|error| failed(folder, error))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|name| !name.starts_with('.')) else {
            continue;
        };
        if path.is_dir() {
            list(&path, &format!("{prefix}{name}/"), files)?;
        } else if name.starts_with('_') || ENDINGS.iter().any(|ending| name.ends_with(ending)) {
            let text = fs::read_to_string(&path).map_err(|error| failed(&path, error))?;
            files.push(TemplateFile { name: format!("{prefix}{name}"), text });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partials_and_rendered_files_are_told_apart_by_name() {
        let file = |name: &str| TemplateFile { name: name.into(), text: String::new() };
        assert!(file("_labels.j2").is_partial() && file("parts/_labels.yaml").is_partial());
        assert!(!file("web.yaml").is_partial() && !file("_parts/web.yaml").is_partial());
        assert!(file("web.json").is_json());
    }

    #[test]
    fn the_files_of_this_folder_are_no_templates() {
        let folder: LitStr = syn::parse_quote!("src/templates");
        let error = read(&folder).unwrap_err().to_string();
        assert!(error.starts_with("the folder `src/templates` contains no YAML\nhelp: add a file"), "{error}");
    }

    #[test]
    fn a_similar_folder_is_suggested() {
        let folder: LitStr = syn::parse_quote!("src/templtes");
        let error = read(&folder).unwrap_err().to_string();
        assert_eq!(error, "the folder `src/templtes` does not exist\nhelp: did you mean `src/templates`?");
        let folder: LitStr = syn::parse_quote!("manifests");
        let error = read(&folder).unwrap_err().to_string();
        assert!(error.contains("help: the path begins at the folder with"), "{error}");
    }
}
