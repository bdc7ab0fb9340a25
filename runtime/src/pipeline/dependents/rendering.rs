//! One call of [`Wanted::render`](super::Wanted::render): its objects, each of a kind that the step declares.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;

use super::entry::Entry;
use super::error::DependentsError;
use super::templates::{Rendered, TemplateError, Templates, render, to_values};
use crate::api::Backend;
use crate::dependent_rules::manifest::{InvalidManifest, TypeMeta};
use crate::kind::KindInfo;
use crate::wiring::{How, Relation};

/// Templates with more text than this, values included, are rendered on a thread for blocking work.
const LARGE: usize = 64 << 10;

/// Templates with the values to render.
pub(super) struct Rendering {
    templates: &'static Templates,
    values: Result<Value, DependentsError>,
}

impl Rendering {
    pub(super) fn new<V: Serialize + ?Sized>(templates: &'static Templates, values: &V, is_declared: bool) -> Self {
        let values = match is_declared {
            true => to_values(values).map_err(DependentsError::from),
            false => {
                let problem =
                    "the step does not declare them; add their constant to `templates(..)` in its `dependents(..)`";
                Err(InvalidManifest::new(templates, "templates", problem).into())
            }
        };
        Self { templates, values }
    }
}

impl From<TemplateError> for DependentsError {
    fn from(error: TemplateError) -> Self {
        Self::RenderFailed(error.to_string())
    }
}

/// Renders the templates. `relations`: the kinds that the step declares.
pub(super) async fn rendered(
    backend: &dyn Backend,
    relations: &[Relation],
    Rendering { templates, values }: Rendering,
) -> Result<Vec<Entry>, DependentsError> {
    let values = values?;
    let is_large = templates.size() + values.to_string().len() > LARGE;
    let rendered =
        if is_large { render_blocking(backend, templates, values).await } else { render(templates, &values) };
    objects(rendered?, relations)
}

/// The objects, each of a kind that the step declares.
pub(super) fn objects(rendered: Vec<Rendered>, relations: &[Relation]) -> Result<Vec<Entry>, DependentsError> {
    let kinds = relations.iter().filter(|relation| relation.how == How::Keeps).filter_map(|relation| relation.kind);
    let kinds: Vec<KindInfo> = kinds.map(|kind| kind()).collect();
    let entries = rendered.into_iter().map(|rendered| entry(rendered, &kinds));
    entries.collect::<Result<_, InvalidManifest>>().map_err(Into::into)
}

async fn render_blocking(
    backend: &dyn Backend,
    templates: &'static Templates,
    values: Value,
) -> Result<Vec<Rendered>, TemplateError> {
    let answer = Arc::new(Mutex::new(None));
    let given = answer.clone();
    let work = move || {
        let rendered = render(templates, &values);
        *given.lock().unwrap_or_else(PoisonError::into_inner) = Some(rendered);
    };
    backend.blocking(Box::new(work)).await;
    let rendered = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
    rendered.unwrap_or_else(|| Err(TemplateError::interrupted()))
}

/// The object, if the step declares its kind in its version.
fn entry(Rendered { file, object }: Rendered, kinds: &[KindInfo]) -> Result<Entry, InvalidManifest> {
    let name = object["metadata"]["name"].as_str().unwrap_or("without a name");
    let of =
        TypeMeta::read(&object).map_err(|error| InvalidManifest { object: format!("an object of {file}"), ..error })?;
    let shown = || format!("{} {name} of {file}", of.kind);
    let kind = kinds.iter().find(|kind| kind.resource.group == of.group && kind.resource.kind == of.kind);
    let Some(kind) = kind else {
        let problem = format!("the step does not declare it; add `kinds(\"{of}\")` to its `dependents(..)`");
        return Err(InvalidManifest::new(shown(), "kind", problem));
    };
    if kind.resource.version != of.version {
        let problem =
            format!("it is {}, but the step declares {}; write that", of.api_version(), kind.resource.api_version);
        return Err(InvalidManifest::new(shown(), "apiVersion", problem));
    }
    Ok(Entry::new(kind.clone(), Ok(object)))
}
