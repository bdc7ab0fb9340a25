//! One call of [`Wanted::render`](super::Wanted::render): its objects.

use serde::Serialize;
use serde_json::Value;

use super::error::DependentsError;
use super::templates::{Rendered, TemplateError, Templates, render, to_values};
use crate::api::Backend;
use crate::dependent_rules::manifest::{Digest, InvalidManifest};
use crate::pipeline::context::blocking;

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

    /// What the objects depend on; `None`: they cannot be rendered.
    pub(super) fn input(&self) -> Option<Digest> {
        let values = self.values.as_ref().ok()?;
        Some(Digest::of_all([Digest::of_bytes(format!("{:p}", self.templates)), Digest::of_value(values)]))
    }
}

impl From<TemplateError> for DependentsError {
    fn from(error: TemplateError) -> Self {
        Self::RenderFailed(error.to_string())
    }
}

/// Renders the templates, on a thread for blocking work: a loop may print thousands of objects.
pub(super) async fn rendered(
    backend: &dyn Backend,
    Rendering { templates, values }: Rendering,
) -> Result<Vec<Rendered>, DependentsError> {
    let values = values?;
    Ok(blocking(backend, move || render(templates, &values)).await?)
}
