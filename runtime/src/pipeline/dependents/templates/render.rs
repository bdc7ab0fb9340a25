//! Renders the files of a folder to manifests.

use std::sync::Arc;

use minijinja::value::Serde;
use serde_json::Value;

use super::engine::{Limit, environment, text_of};
use super::error::TemplateError;
use super::set::Templates;
use crate::dependent_rules::manifest::JsonText;
use crate::pipeline::dependents::yaml::document_texts;

/// One rendered manifest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rendered {
    /// The path of its file, with the folder.
    pub(crate) file: Arc<str>,
    /// The manifest: a map.
    pub(crate) object: JsonText,
}

/// Renders the files in the order of their names.
///
/// # Errors
/// A file is no template, needs a value that is missing, exceeds a limit, or prints no YAML.
pub(crate) fn render(templates: &Templates, values: &Value) -> Result<Vec<Rendered>, TemplateError> {
    let Templates { folder, files, .. } = templates;
    let environment = environment(templates)?;
    let values = minijinja::Value::from(Serde(values));
    let (mut left, mut rendered) = (Limit::default(), Vec::new());
    for file in files.iter().filter(|file| !file.is_partial()) {
        let text = text_of(&environment, folder, file.name, &values, &mut left)?;
        let path: Arc<str> = format!("{folder}/{}", file.name).into();
        let invalid = |(line, cause): (Option<u64>, String)| {
            let line = line.map_or_else(String::new, |line| format!("in line {line} of its output "));
            TemplateError::new(&*path, None, format!("{line}{cause}"))
        };
        let objects = document_texts(&text).map_err(invalid)?;
        rendered.extend(objects.into_iter().map(|object| Rendered { file: path.clone(), object }));
    }
    Ok(rendered)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::set::TemplateFile;
    use super::*;

    /// Renders one file, with a partial.
    fn rendered(text: &'static str, values: &Value) -> Result<Vec<Value>, String> {
        let partial = TemplateFile { name: "_labels.yaml", text: "{app: {{ app }}}" };
        let files: &'static [TemplateFile] = vec![partial, TemplateFile { name: "web.yaml", text }].leak();
        let all = render(&Templates::new("manifests", files, &[]), values).map_err(|error| error.to_string())?;
        Ok(all.into_iter().map(|one| one.object.value()).collect())
    }

    #[test]
    fn a_value_stays_one_value_whatever_it_contains() {
        for text in
            ["x\n---\nkind: ClusterRoleBinding", "{{ spec }}", "{% for %}", "a: b # c", "\u{2028}\"'\\", "*a", "yes"]
        {
            let found = rendered("name: {{ name }}\nlong: {{ name ~ '-web' }}\n", &json!({ "name": text })).unwrap();
            assert_eq!(found, [json!({ "name": text, "long": format!("{text}-web") })]);
        }
        let all = json!({ "all": { "a": [1, true, 1.5], "b: c": { "d": "{{ e }}" } } });
        assert_eq!(rendered("all: {{ all }}", &all).unwrap(), [all]);
    }

    #[test]
    fn a_partial_is_included_and_not_rendered() {
        let found = rendered("labels: {% include \"_labels.yaml\" %}", &json!({ "app": "web" })).unwrap();
        assert_eq!(found, [json!({ "labels": { "app": "web" } })]);
        let error = rendered("labels: {% include \"_labels.yaml\" %}", &json!({})).unwrap_err();
        assert_eq!(error, "manifests/_labels.yaml:1: `app` is undefined; pass the value, or write `| default(..)`");
    }

    #[test]
    fn an_error_names_file_line_and_cause() {
        let error = |text| rendered(text, &json!({ "spec": { "name": "s3cret" } })).unwrap_err();
        let undefined = "manifests/web.yaml:2: `spec.replicas` is undefined; pass the value, or write `| default(..)`";
        assert_eq!(error("a: 1\nb: {{ spec.replicas }}"), undefined);
        assert_eq!(
            error("{% if spec %}"),
            "manifests/web.yaml:1: syntax error: unexpected end of input, expected end of block"
        );
        assert_eq!(error("\n{{ a | b64 }}"), "manifests/web.yaml:2: unknown filter: filter b64 is unknown");
        assert_eq!(error("{{ spec.name + 1 }}"), "manifests/web.yaml:1: `spec.name + 1`: invalid operation");
        assert_eq!(error("a: [{{ spec.name }}"), "manifests/web.yaml: in line 1 of its output it is no valid YAML");
        assert!(error("{{ spec.name }}").starts_with("manifests/web.yaml: a document is no object"));
        for text in ["{{ spec.name // 2 }}", "{{ -spec.name }}", "{{ spec.name | int }}", "a: \"{{ spec.name }}\"x\""] {
            assert!(!error(text).contains("s3cret"), "{}", error(text));
        }
    }

    #[test]
    fn endless_templates_end() {
        let nested = "{% for i in range(9999) %}{% for j in range(9999) %}{% endfor %}{% endfor %}";
        let error = rendered(nested, &json!({})).unwrap_err();
        assert!(error.starts_with("manifests/web.yaml:1: it executes too many instructions"), "{error}");
        let error = rendered("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", &json!({})).unwrap_err();
        assert_eq!(error, "manifests/web.yaml:1: `m()`: invalid operation");
        let long = "{% for i in range(99999) %}{{ text }}{% endfor %}";
        let error = rendered(long, &json!({ "text": "x".repeat(1000) })).unwrap_err();
        assert!(error.starts_with("manifests/web.yaml: the files print more than 32 MiB"), "{error}");
    }
}
