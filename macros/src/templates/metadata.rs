//! Reads the literal parts of the metadata of a YAML document: name, namespace and annotations of evenkeel.

use super::annotation::PREFIX;
use super::document::{Annotation, At, Document, Scalar};
use super::plain_text::Line;

/// Reads the block `metadata:` of a document.
pub(super) fn read_metadata(lines: &[Line], document: &mut Document) {
    let Some(at) = lines.iter().position(|line| line.text.starts_with("metadata:")) else { return };
    let (first, rest) = (&lines[at], &lines[at + 1..]);
    let end = rest.iter().position(|line| starts_key(&line.text)).unwrap_or(rest.len());
    let flow = first.text["metadata:".len()..].trim_start();
    if flow.starts_with('{') {
        document.name = in_flow(flow, "name");
        document.namespace = in_flow(flow, "namespace");
        document.annotations = annotations(std::slice::from_ref(first));
        return;
    }
    let block = &rest[..end];
    let Some(indent) = block.iter().map(|line| indent(&line.text)).filter(|indent| *indent > 0).min() else { return };
    let child = |key: &str| {
        block.iter().find_map(|line| {
            let text = line.text.get(indent..).filter(|_| self::indent(&line.text) == indent)?;
            text.strip_prefix(key)?.strip_prefix(':').map(Scalar::read)
        })
    };
    (document.name, document.namespace) = (child("name"), child("namespace"));
    let key = |line: &Line| self::indent(&line.text) == indent && line.text.trim().starts_with("annotations:");
    if let Some(at) = block.iter().position(key) {
        let rest = &block[at + 1..];
        let is_next = |line: &Line| !line.text.trim().is_empty() && self::indent(&line.text) <= indent;
        let end = rest.iter().position(is_next).unwrap_or(rest.len());
        document.annotations = annotations(&block[at..=at + end]);
    }
}

/// Whether the line begins a key of the document.
fn starts_key(text: &str) -> bool {
    text.starts_with(|letter: char| !letter.is_whitespace() && letter != '#')
}

fn indent(text: &str) -> usize {
    if text.trim().is_empty() { 0 } else { text.len() - text.trim_start_matches(' ').len() }
}

/// The value of a key in `{ name: web, namespace: a }`, if it is one text.
fn in_flow(flow: &str, key: &str) -> Option<Scalar> {
    let fields = flow.trim_start_matches('{').split('{').next().unwrap_or_default().split([',', '}']);
    let value = fields.filter_map(|field| field.trim().strip_prefix(key)?.strip_prefix(':')).next()?;
    Some(Scalar::read(value))
}

/// The annotations of evenkeel in these lines.
fn annotations(lines: &[Line]) -> Vec<At<Annotation>> {
    let of = |line: &Line| {
        let starts = line.text.match_indices(PREFIX).map(|(at, _)| at);
        let found = starts.filter_map(|at| annotation(&line.text, at));
        found.map(|value| At { line: line.number, value }).collect::<Vec<_>>()
    };
    lines.iter().flat_map(of).collect()
}

/// The annotation at a place, if it is a key there.
fn annotation(text: &str, at: usize) -> Option<Annotation> {
    let before = text[..at].chars().next_back();
    let rest = &text[at..];
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    let name = &rest[..rest.find(|letter| !is_name(letter)).unwrap_or(rest.len())];
    let after = rest[name.len()..].trim_start_matches(['"', '\'']);
    let value = after.strip_prefix(':').filter(|value| value.is_empty() || value.starts_with([' ', '\t', '"']))?;
    if !before.is_none_or(|letter| letter.is_whitespace() || "{,\"'".contains(letter)) || !name.contains('/') {
        return None;
    }
    let value = value.trim_start();
    let quoted = value.starts_with(['"', '\'']);
    let plain = if quoted { value } else { value.split([',', '}']).next().unwrap_or_default() };
    Some(Annotation { name: name.to_owned(), value: Scalar::read(plain), quoted })
}

#[cfg(test)]
mod tests {
    use super::super::yaml::documents;
    use super::*;

    fn read(metadata: &str) -> Document {
        documents(&format!("apiVersion: v1\nkind: ConfigMap\n{metadata}")).remove(0)
    }

    fn found(document: &Document) -> Vec<(usize, &str, Option<&str>, bool)> {
        let mut found = Vec::new();
        for At { line, value: Annotation { name, value, quoted } } in &document.annotations {
            found.push((*line, name.as_str(), value.literal(), *quoted));
        }
        found
    }

    #[test]
    fn a_block_is_read() {
        let document = read(
            "metadata:\n  labels:\n    name: other\n  name: web\n\n  annotations:\n    evenkeel.dev/apply-order: \"1\" # late\n    \
             \"evenkeel.dev/delete-policy\": {{ policy }}\n    text: see evenkeel.dev/x\n  namespace: {{ ns }}\nspec:\n  evenkeel.dev/a: b\n",
        );
        assert_eq!(
            (document.name.clone(), document.namespace.clone()),
            (Some(Scalar::Literal("web".into())), Some(Scalar::Printed))
        );
        let expected =
            [(9, "evenkeel.dev/apply-order", Some("1"), true), (10, "evenkeel.dev/delete-policy", None, false)];
        assert_eq!(found(&document), expected);
    }

    #[test]
    fn a_map_in_one_line_is_read() {
        let document =
            read("metadata: { name: web, annotations: { evenkeel.dev/apply-order: 1, evenkeel.dev/x: \"a, b\" } }\n");
        assert_eq!(document.name, Some(Scalar::Literal("web".into())));
        assert_eq!(document.namespace, None);
        let expected = [(3, "evenkeel.dev/apply-order", Some("1"), false), (3, "evenkeel.dev/x", Some("a, b"), true)];
        assert_eq!(found(&document), expected);
        let document = read("metadata:\n  name: web\n  annotations: { \"evenkeel.dev/apply-order\": \"2\" }\n");
        assert_eq!(found(&document), [(5, "evenkeel.dev/apply-order", Some("2"), true)]);
    }
}
