//! Checks what is literal in the templates. Each mistake is one error, with file and line.

use std::collections::BTreeMap;

use syn::LitStr;

use super::document::{At, Document, Scalar};
use super::folder::TemplateFile;
use super::{annotation, json, yaml};
use crate::errors::Errors;
use crate::syntax::kind_text::{is_api_version, is_kind};

/// The files, with the kinds of their documents as `apiVersion` and `kind`.
pub(super) struct Checked {
    pub(super) files: Vec<TemplateFile>,
    pub(super) kinds: Vec<(String, String)>,
}

/// The errors of one folder.
struct Mistakes<'a> {
    folder: &'a LitStr,
    errors: &'a mut Errors,
}

impl Mistakes<'_> {
    fn push(&mut self, file: &TemplateFile, line: usize, problem: &str, help: &str) {
        let place = format!("{}/{}:{line}", self.folder.value().trim_end_matches('/'), file.name);
        self.errors.push(self.folder, format_args!("{place}: {problem}"), help);
    }
}

/// Checks all documents.
pub(super) fn check(folder: &LitStr, files: Vec<TemplateFile>, errors: &mut Errors) -> Checked {
    let mut mistakes = Mistakes { folder, errors };
    let (mut kinds, mut seen) = (Vec::new(), BTreeMap::new());
    for file in &files {
        for document in documents(file) {
            check_annotations(file, &document, &mut mistakes);
            if !check_kinds(file, &document, &mut mistakes) {
                continue;
            }
            check_twice(file, &document, &mut seen, &mut mistakes);
            for kind in kinds_of(&document) {
                if !kinds.contains(&kind) {
                    kinds.push(kind);
                }
            }
        }
    }
    kinds.sort();
    Checked { files, kinds }
}

fn documents(file: &TemplateFile) -> Vec<Document> {
    match file.is_json() {
        true => json::document(&file.text).into_iter().collect(),
        false => yaml::documents(&file.text),
    }
}

fn check_annotations(file: &TemplateFile, document: &Document, mistakes: &mut Mistakes<'_>) {
    for At { line, value: annotation } in &document.annotations {
        let checked = annotation::check(&annotation.name, annotation.value.literal(), annotation.quoted);
        if let Err((problem, help)) = checked {
            mistakes.push(file, *line, &format!("`{}` {problem}", annotation.name), &help);
        }
    }
}

/// Returns whether the kind of the document is known. The first problem is the only error.
fn check_kinds(file: &TemplateFile, document: &Document, mistakes: &mut Mistakes<'_>) -> bool {
    if let Some(list) = document.kinds.iter().find(|kind| kind.value == Scalar::Literal("List".into())) {
        let help = "write its items as documents, with `---` between them, so that their kinds are known";
        mistakes.push(file, list.line, "the kinds of a `List` are not known at compile time", help);
        return false;
    }
    let fields = [("apiVersion", &document.api_versions, "apps/v1"), ("kind", &document.kinds, "Deployment")];
    // A partial may be a part of a document, with values of the file that includes it.
    let is_literal = |found: &[At<Scalar>]| !found.is_empty() && found.iter().all(|at| at.value != Scalar::Printed);
    if file.is_partial() && !fields.iter().all(|(_, found, _)| is_literal(found)) {
        return false;
    }
    for (key, found, example) in fields {
        let literal = format!("write for example `{key}: {example}`, so that watches and RBAC rules include the kind");
        if let Some(printed) = found.iter().find(|at| at.value == Scalar::Printed) {
            mistakes.push(file, printed.line, &format!("`{key}` is not literal"), &literal);
            return false;
        }
        if found.is_empty() {
            let problem = format!("the document has no `{key}` in its first column");
            mistakes.push(file, document.line, &problem, &literal);
            return false;
        }
        let is_valid = |text: &str| if key == "kind" { is_kind(text) } else { is_api_version(text) };
        if let Some(wrong) = found.iter().find(|at| !at.value.literal().is_some_and(is_valid)) {
            let text = wrong.value.literal().unwrap_or_default();
            mistakes.push(
                file,
                wrong.line,
                &format!("`{text}` is no `{key}`"),
                &format!("write for example `{example}`"),
            );
            return false;
        }
    }
    true
}

/// The name of an object, if it is literal, and where it was seen.
type FirstUses = BTreeMap<(String, String, String, String), String>;

/// Two documents of the same kind, namespace and name are a mistake, unless they may be alternatives.
fn check_twice(file: &TemplateFile, document: &Document, seen: &mut FirstUses, mistakes: &mut Mistakes<'_>) {
    let name = document.name.as_ref().and_then(Scalar::literal).filter(|name| !name.is_empty());
    let namespace = document.namespace.as_ref().map_or(Some(""), Scalar::literal);
    let (Some(name), Some(namespace), [kind]) = (name, namespace, &kinds_of(document)[..]) else { return };
    if document.conditional || file.is_partial() {
        return;
    }
    let group = kind.0.rsplit_once('/').map_or("", |(group, _)| group);
    let key = (group.to_owned(), kind.1.clone(), namespace.to_owned(), name.to_owned());
    match seen.get(&key) {
        None => drop(seen.insert(key, format!("{}:{}", file.name, document.line))),
        Some(first) => {
            let problem = format!("{} `{name}` is also in {first}", kind.1);
            mistakes.push(file, document.line, &problem, "remove one of them, or give it another name");
        }
    }
}

/// The kinds of a document: several if alternatives are literal.
fn kinds_of(document: &Document) -> Vec<(String, String)> {
    let texts = |all: &[At<Scalar>]| -> Vec<String> {
        all.iter().filter_map(|at| at.value.literal().map(ToOwned::to_owned)).collect()
    };
    let (versions, kinds) = (texts(&document.api_versions), texts(&document.kinds));
    if versions.len() == kinds.len() {
        return versions.into_iter().zip(kinds).collect();
    }
    let with = |version: &String| kinds.iter().map(|kind| (version.clone(), kind.clone())).collect::<Vec<_>>();
    versions.iter().flat_map(with).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kinds, and the errors.
    fn checked(files: &[(&str, &str)]) -> (Vec<(String, String)>, Vec<String>) {
        let files = files.iter().map(|(name, text)| TemplateFile { name: (*name).into(), text: (*text).into() });
        let (folder, mut errors) = (syn::parse_quote!("manifests"), Errors::default());
        let checked = check(&folder, files.collect(), &mut errors);
        let errors = errors.into_result().err().into_iter().flatten().map(|error| error.to_string());
        (checked.kinds, errors.collect())
    }

    const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n";

    #[test]
    fn kinds_are_those_of_all_documents() {
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: {{ name }} }\n";
        let both = format!("{WEB}---\n{map}---\n{map}");
        let (kinds, errors) = checked(&[("_part.yaml", "app: web\n"), ("web.yaml", &both)]);
        assert!(errors.is_empty(), "{errors:?}");
        let expected = [("apps/v1", "Deployment"), ("v1", "ConfigMap")];
        assert_eq!(kinds, expected.map(|(version, kind)| (version.to_owned(), kind.to_owned())));
    }

    #[test]
    fn each_mistake_is_one_error_with_file_and_line() {
        for (text, start) in [
            ("kind: Pod\n", "manifests/a.yaml:1: the document has no `apiVersion` in its first column"),
            ("a: 1\n---\n\nb: 1\n", "manifests/a.yaml:1: the document has no `apiVersion` in its first column"),
            ("apiVersion: v1\nkind: {{ kind }}\n", "manifests/a.yaml:2: `kind` is not literal"),
            ("apiVersion: v1\nkind: List\nitems: []\n", "manifests/a.yaml:2: the kinds of a `List` are not known"),
            ("apiVersion: apps\nkind: Pod\n", "manifests/a.yaml:1: `apps` is no `apiVersion`"),
            ("apiVersion: v1\nkind: config map\n", "manifests/a.yaml:2: `config map` is no `kind`"),
        ] {
            let (_, errors) = checked(&[("a.yaml", text)]);
            assert!(errors[0].starts_with(start), "{errors:?}");
        }
        let text = "apiVersion: v1\nkind: Pod\nmetadata:\n  annotations:\n    evenkeel.dev/aply-order: 1\n";
        let (_, errors) = checked(&[("a.yaml", text)]);
        assert_eq!(
            errors,
            [
                "manifests/a.yaml:5: `evenkeel.dev/aply-order` is unknown\nhelp: did you mean `evenkeel.dev/apply-order`?"
            ]
        );
    }

    #[test]
    fn the_same_object_twice_is_a_mistake_unless_it_is_conditional() {
        let (_, errors) = checked(&[("a.yaml", WEB), ("b.yaml", &WEB.replace("v1", "v1beta1"))]);
        assert!(
            errors[0].starts_with("manifests/b.yaml:1: Deployment `web` is also in a.yaml:1\nhelp: remove"),
            "{errors:?}"
        );
        let other = WEB.replace("name: web", "name: web\n  namespace: b");
        assert!(checked(&[("a.yaml", WEB), ("b.yaml", &other)]).1.is_empty());
        let conditional = format!("{{% if a %}}\n{WEB}{{% endif %}}\n");
        assert!(checked(&[("a.yaml", WEB), ("b.yaml", &conditional)]).1.is_empty());
    }

    #[test]
    fn a_partial_may_be_a_part_of_a_document() {
        let part = "apiVersion: {{ version }}\nkind: Pod\n";
        let (kinds, errors) = checked(&[("_a.j2", part), ("_b.yaml", "kind: Pod\n"), ("_c.yaml", WEB)]);
        assert_eq!((kinds.len(), errors.len()), (1, 0), "{errors:?}");
    }
}
