//! The output: YAML documents with comments, or a List as JSON.

use std::borrow::Cow;
use std::fmt::Write;
use std::io;

use serde_json::{Value, json};

use super::args::{RenderArgs, RenderFormat};
use super::problem::remark;
use crate::render::{RenderedObject, RenderedStep, Rendering};
use crate::sorted_json::sorted;

/// The text instead of a value of a Secret, as in a dry run.
const HIDDEN: &str = "(hidden)";

/// The output for the sets of an object.
pub(super) fn text(title: &str, all: &[Rendering], args: &RenderArgs) -> io::Result<String> {
    match args.output {
        RenderFormat::Yaml => yaml(title, all, args),
        RenderFormat::Json => json(all, args),
    }
}

fn json(all: &[Rendering], args: &RenderArgs) -> io::Result<String> {
    let steps = all.iter().flat_map(|rendering| &rendering.steps);
    let items = steps.flat_map(|step| &step.objects).map(|object| sorted(visible(object, args).into_owned()));
    let list = json!({ "apiVersion": "v1", "kind": "List", "items": items.collect::<Vec<_>>() });
    Ok(serde_json::to_string_pretty(&list)? + "\n")
}

fn yaml(title: &str, all: &[Rendering], args: &RenderArgs) -> io::Result<String> {
    let mut out = comment(&format!("the dependents of {title}"));
    for rendering in all {
        for step in &rendering.steps {
            out += &comment(&headline(step, rendering));
            for object in &step.objects {
                let document = serde_saphyr::to_string(&sorted(visible(object, args).into_owned()));
                let document = document.map_err(io::Error::other)?;
                // Writing to a text does not fail.
                let _ = write!(out, "---\n{}{document}", comment(&format!("wave {}: {}", object.wave, object.id)));
            }
        }
    }
    Ok(out)
}

fn headline(step: &RenderedStep, of: &Rendering) -> String {
    let name = format!("step {}/{}", of.reconciler, step.name);
    remark(step, of).map_or(name.clone(), |remark| format!("{name} {remark}"))
}

/// A text in one line of comment, whatever it quotes.
fn comment(text: &str) -> String {
    format!("# {}\n", text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The manifest with hidden values, if it is a Secret.
fn visible<'o>(object: &'o RenderedObject, args: &RenderArgs) -> Cow<'o, Value> {
    if args.show_secrets || !object.id.is("", "Secret") {
        return Cow::Borrowed(&object.object);
    }
    let mut manifest = object.object.clone();
    for field in ["data", "stringData"] {
        for value in
            manifest.get_mut(field).and_then(Value::as_object_mut).into_iter().flatten().map(|(_, value)| value)
        {
            *value = HIDDEN.into();
        }
    }
    Cow::Owned(manifest)
}
