//! One call of [`Wanted::render`](super::Wanted::render): its objects.

use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;

use super::error::DependentsError;
use super::templates::{Rendered, TemplateError, Templates, render, to_values};
use crate::api::Backend;
use crate::dependent_rules::manifest::InvalidManifest;

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

/// Renders the templates.
pub(super) async fn rendered(
    backend: &dyn Backend,
    Rendering { templates, values }: Rendering,
) -> Result<Vec<Rendered>, DependentsError> {
    let values = values?;
    let is_large = templates.size() + values.to_string().len() > LARGE;
    let rendered =
        if is_large { render_blocking(backend, templates, values).await } else { render(templates, &values) };
    rendered.map_err(Into::into)
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
