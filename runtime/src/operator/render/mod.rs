//! The command `render`: prints the dependents of the object in a file, without an API server.

mod args;
mod document;
mod files;
mod problem;

use std::ffi::OsString;
use std::io::Write;
use std::sync::Arc;

use clap::Parser;

pub(super) use self::args::RenderArgs;
use self::document::text;
use self::files::{Component, component, given};
use self::problem::{Problem, failed, problems, random};
use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::print::unwritten;
use super::registration::Registration;
use crate::dependency::Access;
use crate::render::{Given, Renderer, Rendering};

/// Prints the dependents of the object in a file.
///
/// # Errors
/// A file cannot be used, or a set cannot be rendered. The other sets are printed in any case.
pub(super) async fn render(operator: Operator, args: RenderArgs, mut out: impl Write + Send) -> Result {
    let namespace = match &*operator.namespaces {
        [namespace] => namespace.to_string(),
        _ => "default".to_owned(),
    };
    let (access, name) = (operator.access, operator.name.clone());
    let renderers: Vec<Renderer> = operator.members.into_iter().map(Registration::renderer).collect();
    let component = component(&args.object, &namespace, &renderers, &name)?;
    let given = Arc::new(given(&args.with, &component)?);
    let (mut all, mut found) = (Vec::new(), Vec::new());
    for renderer in component.renderers(&renderers) {
        let (rendering, problems) = twice(&component, renderer, &given, access).await?;
        all.push(rendering);
        found.extend(problems);
    }
    let text = text(&component.title, &all, &args).map_err(unwritten)?;
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(unwritten)?;
    failed(&component.title, &found)
}

/// Renders the sets of a reconciler twice, and compares them.
async fn twice(
    component: &Component,
    renderer: &Renderer,
    given: &Arc<Given>,
    access: Access,
) -> Result<(Rendering, Vec<Problem>)> {
    let object = component.object(renderer)?;
    let rendering = renderer.render(&*object, given, access).await;
    let again = renderer.render(&*object, given, access).await;
    let mut found = problems(&rendering);
    found.extend(random(&rendering, &again));
    Ok((rendering, found))
}

/// A command line of `render` alone.
#[derive(Debug, Parser)]
#[command(name = "render", no_binary_name = true)]
struct RenderLine {
    #[command(flatten)]
    args: RenderArgs,
}

/// Prints to a writer what the command `render` prints with these arguments.
pub(super) async fn render_line<A: Into<OsString> + Clone>(
    operator: Operator,
    args: impl IntoIterator<Item = A>,
    out: impl Write + Send,
) -> Result {
    let line = RenderLine::try_parse_from(args);
    let line =
        line.map_err(|error| Error::new(Reason::Setup, error.to_string(), "see `render --help`").caused_by(error));
    render(operator, line?.args, out).await
}
