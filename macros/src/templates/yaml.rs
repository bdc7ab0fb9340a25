//! Splits a YAML file into its documents, and reads what is literal at their start of lines.

use super::document::{At, Document, Scalar};
use super::metadata::read_metadata;
use super::plain_text::{Line, PRINTED, lines};

/// The documents of a file. Empty ones are left out.
pub(super) fn documents(text: &str) -> Vec<Document> {
    let lines = lines(text);
    let documents = lines.split(|line| is_separator(&line.text)).map(document);
    documents.filter(|document| document.has_content).collect()
}

fn is_separator(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn document(lines: &[Line]) -> Document {
    let content: Vec<&Line> = lines.iter().filter(|line| has_content(&line.text)).collect();
    let Some(first) = content.first() else { return Document::default() };
    let values = |key: &str| {
        let found =
            lines.iter().filter_map(|line| Some(At { line: line.number, value: Scalar::read(value(line, key)?) }));
        found.collect::<Vec<_>>()
    };
    let mut document = Document {
        line: first.number,
        api_versions: values("apiVersion"),
        kinds: values("kind"),
        conditional: content.iter().any(|line| line.conditional && value(line, "kind").is_some()),
        has_content: true,
        ..Document::default()
    };
    read_metadata(lines, &mut document);
    document
}

/// Whether a line is more than a comment or an expression.
fn has_content(text: &str) -> bool {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || letter == PRINTED);
    !text.is_empty() && !text.starts_with('#') && text != "..." && !text.starts_with('%')
}

/// The value of a key in the first column.
fn value<'a>(line: &'a Line, key: &str) -> Option<&'a str> {
    let text = line.text.trim_start_matches(['"', '\'']);
    let rest = text.strip_prefix(key)?.trim_start_matches(['"', '\'']).strip_prefix(':')?;
    (rest.is_empty() || rest.starts_with([' ', '\t'])).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(line: usize, text: &str) -> At<Scalar> {
        At { line, value: Scalar::Literal(text.into()) }
    }

    #[test]
    fn the_kind_is_that_of_the_first_column() {
        let text = "# web\napiVersion: rbac.authorization.k8s.io/v1\nkind: \"RoleBinding\" # bound\nroleRef:\n  kind: Role\n---\n\n---\nkind: {{ kind }}\n";
        let [binding, other] = &documents(text)[..] else { panic!("two documents") };
        assert_eq!(binding.line, 2);
        assert_eq!(binding.api_versions, [literal(2, "rbac.authorization.k8s.io/v1")]);
        assert_eq!(binding.kinds, [literal(3, "RoleBinding")]);
        assert_eq!(other.kinds, [At { line: 9, value: Scalar::Printed }]);
        assert!(other.api_versions.is_empty());
    }

    #[test]
    fn a_document_of_statements_alone_is_written_elsewhere() {
        assert!(documents("{% include \"_web.yaml\" %}\n---\n{{ web(name) }}\n---\n# only a comment\n").is_empty());
    }

    #[test]
    fn alternatives_are_all_read() {
        let text = "apiVersion: v1\n{% if a %}\nkind: ConfigMap\n{% else %}\nkind: Secret\n{% endif %}\n";
        let documents = documents(text);
        assert_eq!(documents[0].kinds, [literal(3, "ConfigMap"), literal(5, "Secret")]);
        assert!(documents[0].conditional);
    }
}
