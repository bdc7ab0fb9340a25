//! Sets of dependents as manifests, without an API server: the steps run, and what they would apply is kept instead.

mod backend;
mod calls;
mod given;
mod rendered;
mod renderer;
mod step_log;

pub(crate) use self::given::{Given, GivenObject};
pub(crate) use self::rendered::{RenderedObject, RenderedStep, StepEnd};
pub(crate) use self::renderer::{Renderer, Rendering};
