//! Reads the literal parts of a JSON file: the texts on its first levels.

use super::annotation::PREFIX;
use super::document::{Annotation, At, Document, Scalar};
use super::plain_text::{PRINTED, lines};

/// The document of a file.
pub(super) fn document(text: &str) -> Option<Document> {
    let mut document = Document { has_content: true, ..Document::default() };
    for Field { path, value, line } in fields(text) {
        let at = |value| At { line, value };
        match path.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["apiVersion"] => document.api_versions.push(at(value)),
            ["kind"] => document.kinds.push(at(value)),
            ["metadata", "name"] => document.name = Some(value),
            ["metadata", "namespace"] => document.namespace = Some(value),
            ["metadata", "annotations", name] if name.starts_with(&format!("{PREFIX}/")) => {
                let annotation = Annotation { name: name.to_owned(), value, quoted: true };
                document.annotations.push(At { line, value: annotation });
            }
            _ => {}
        }
    }
    let lines = lines(text);
    let first = lines.iter().find(|line| !line.text.trim().is_empty())?;
    document.line = first.number;
    document.conditional = lines.iter().any(|line| line.conditional);
    Some(document)
}

/// A text in maps.
struct Field {
    /// The keys that lead to it.
    path: Vec<String>,
    value: Scalar,
    line: usize,
}

/// The texts in maps, outside of lists.
fn fields(text: &str) -> Vec<Field> {
    let (mut found, mut path, mut key) = (Vec::new(), Vec::<String>::new(), None::<String>);
    let mut lists = 0_usize;
    for line in lines(text) {
        let mut rest = line.text.chars();
        while let Some(letter) = rest.next() {
            match letter {
                '"' => {
                    let text: String = string(&mut rest);
                    let is_key = rest.as_str().trim_start().starts_with(':');
                    match key.take() {
                        _ if is_key => key = Some(text),
                        Some(key) if lists == 0 => {
                            let printed = text.contains(PRINTED);
                            let value = if printed { Scalar::Printed } else { Scalar::Literal(text) };
                            found.push(Field { path: [&path[..], &[key]].concat(), value, line: line.number });
                        }
                        _ => {}
                    }
                }
                PRINTED => {
                    if let Some(key) = key.take().filter(|_| lists == 0) {
                        found.push(Field {
                            path: [&path[..], &[key]].concat(),
                            value: Scalar::Printed,
                            line: line.number,
                        });
                    }
                }
                '{' => path.extend(key.take().or_else(|| (!path.is_empty() || lists > 0).then(String::new))),
                '}' => drop(path.pop()),
                ',' => key = None,
                '[' => (lists, key) = (lists + 1, None),
                ']' => lists = lists.saturating_sub(1),
                _ => {}
            }
        }
    }
    found
}

/// The rest of a text in quotation marks.
fn string(rest: &mut std::str::Chars<'_>) -> String {
    let mut text = String::new();
    while let Some(letter) = rest.next() {
        match letter {
            '"' => break,
            '\\' => text.extend(rest.next()),
            _ => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_levels_are_read() {
        let text = r#"{
  "apiVersion": "v1", "kind": "List2",
  "metadata": { "name": {{ name }}, "annotations": { "evenkeel.dev/apply-order": "1" } },
  "items": [{ "kind": "Pod", "metadata": { "name": "a" } }],
  "subject": { "kind": "User" }
}"#;
        let document = document(text).unwrap();
        assert_eq!(document.kinds, [At { line: 2, value: Scalar::Literal("List2".into()) }]);
        assert_eq!(document.name, Some(Scalar::Printed));
        assert_eq!(document.annotations[0].value.value, Scalar::Literal("1".into()));
        assert_eq!((document.line, document.conditional), (1, false));
    }
}
