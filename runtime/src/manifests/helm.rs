//! The objects as a Helm chart: the same YAML, with holes for values and no logic but whole files that are on or off.

use std::io;

use serde_json::{Value, json};

use super::document::{Document, Part, print};
use super::folder::Folder;
use super::holes::{Form, HOLES, Hole, mark};
use super::labels::MANAGED_BY;
use crate::sorted_json::sorted;

/// Stands for the namespace of the release until the YAML is written. It is a valid name, so that it can be part of any text.
pub(crate) const RELEASE_NAMESPACE: &str = "helm-release-namespace";

/// Helm then leaves the CRDs, and with them all objects, where they are when the chart is uninstalled.
const KEEP: (&str, &str) = ("helm.sh/resource-policy", "keep");

/// The chart of this name. `notes`: the text that Helm prints after an installation.
///
/// # Errors
/// An object cannot be written as YAML.
pub(crate) fn chart(documents: &[Document], name: &str, version: Option<&str>, notes: &str) -> io::Result<Folder> {
    let mut folder = Folder::default();
    let mut values: Vec<(&Hole, Value)> = Vec::new();
    let mut documents = documents.to_vec();
    for document in &mut documents {
        if document.part == Part::Crds {
            keep(&mut document.object);
        }
        if document.object["kind"] == "Deployment" && values.is_empty() {
            values = HOLES.iter().map(|hole| (hole, hole.open(&mut document.object))).collect();
            document.object = sorted(std::mem::take(&mut document.object));
        }
    }
    let mut switches = Vec::new();
    for part in Part::ALL.into_iter().filter(|part| *part != Part::Namespace) {
        let text = print(documents.iter().filter(|document| document.part == part))?;
        if text.is_empty() {
            continue;
        }
        let mut text = template(&text);
        if let Some(switch) = switch(part) {
            text = format!("{{{{- if .Values.{switch}.enabled }}}}\n{text}{{{{- end }}}}\n");
            switches.push((switch, part));
        }
        folder.files.insert(format!("templates/{}.yaml", part.as_str()), text);
    }
    folder.files.insert("Chart.yaml".to_owned(), about(name, version)?);
    folder.files.insert("values.yaml".to_owned(), values_file(&values, &switches)?);
    folder.files.insert("templates/NOTES.txt".to_owned(), template(notes));
    Ok(folder)
}

/// The value that turns a file on.
const fn switch(part: Part) -> Option<&'static str> {
    match part {
        Part::Crds => Some("crds"),
        Part::FlowControl => Some("flowControl"),
        Part::Network => Some("network"),
        Part::Monitoring => Some("monitoring"),
        Part::Alerts => Some("alerts"),
        Part::Dashboard => Some("dashboard"),
        _ => None,
    }
}

fn keep(definition: &mut Value) {
    let metadata = definition["metadata"].as_object_mut();
    let annotations = metadata.map(|metadata| metadata.entry("annotations").or_insert_with(|| json!({})));
    if let Some(Value::Object(annotations)) = annotations {
        annotations.insert(KEEP.0.to_owned(), KEEP.1.into());
    }
}

fn about(name: &str, version: Option<&str>) -> io::Result<String> {
    let version = version.unwrap_or("0.1.0");
    let about = json!({ "apiVersion": "v2", "name": name, "version": version, "appVersion": version,
        "description": format!("Installs the operator {name}"), "type": "application" });
    serde_saphyr::to_string(&sorted(about)).map_err(io::Error::other)
}

/// The values with their defaults, which are those of the objects.
fn values_file(values: &[(&Hole, Value)], switches: &[(&str, Part)]) -> io::Result<String> {
    let one = |(hole, value): &(&Hole, Value)| {
        let text = serde_saphyr::to_string(&json!({ hole.name: value })).map_err(io::Error::other)?;
        Ok(format!("# {}\n{text}", hole.help))
    };
    let values = values.iter().map(one).collect::<io::Result<String>>()?;
    let switches = switches.iter().map(|(name, part)| {
        let (help, enabled) = match part {
            Part::Crds => ("The CRDs. They stay when the chart is uninstalled.", true),
            Part::FlowControl => ("The FlowSchema of the lease, for Kubernetes 1.29 and later.", false),
            Part::Network => ("The NetworkPolicy.", false),
            Part::Alerts => ("The PrometheusRule of the Prometheus operator.", false),
            Part::Dashboard => ("The ConfigMap with the dashboard, for the sidecar of Grafana.", false),
            _ => ("The ServiceMonitor of the Prometheus operator.", false),
        };
        format!("# {help}\n{name}:\n  enabled: {enabled}\n")
    });
    Ok(values + &switches.collect::<String>())
}

/// The YAML as a template: what looks like an action is text, and the marks become actions.
fn template(text: &str) -> String {
    text.lines().map(|line| template_line(line) + "\n").collect()
}

fn template_line(line: &str) -> String {
    let line = line.replace("{{", "{{ \"{{\" }}");
    let indent = line.len() - line.trim_start().len();
    if let Some(hole) = HOLES.iter().find(|hole| line.contains(&mark(hole.name))) {
        return filled(hole, &line, indent);
    }
    if line.trim_start().starts_with(MANAGED_BY) {
        return format!("{}{MANAGED_BY}: {{{{ .Release.Service }}}}", &line[..indent]);
    }
    let action = "{{ .Release.Namespace }}";
    match line.strip_suffix(RELEASE_NAMESPACE).filter(|rest| rest.ends_with(": ") || rest.ends_with("- ")) {
        // The name may consist of digits.
        Some(rest) => format!("{rest}\"{action}\""),
        None => line.replace(RELEASE_NAMESPACE, action),
    }
}

/// The lines for a hole, as Helm's own charts have them: `nindent` begins a new line.
fn filled(hole: &Hole, line: &str, indent: usize) -> String {
    let (name, space) = (hole.name, &line[..indent]);
    let key = line.trim_start().split(": ").next().unwrap_or_default();
    let with = format!("{space}{{{{- with .Values.{name} }}}}");
    let end = format!("{space}{{{{- end }}}}");
    let items = |indent: usize| format!("{space}{{{{- toYaml . | nindent {indent} }}}}");
    match hole.form {
        Form::Text => format!("{space}{}: \"{{{{ .Values.{name} }}}}\"", key.trim_start_matches("- ")),
        Form::Number => format!("{space}{key}: {{{{ .Values.{name} }}}}"),
        Form::Field => format!("{with}\n{space}{key}:\n{}\n{end}", items(indent + 2)),
        Form::Items | Form::Entries => format!("{with}\n{}\n{end}", items(indent)),
    }
}
