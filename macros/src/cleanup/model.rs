//! The validated cleanup.

use syn::{Path, PathArguments, Type};

use super::args::CleanupArgs;
use super::check;
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;
use crate::syntax::shape::{is_context, parse_dependencies, parse_object};

pub(crate) struct Cleanup {
    pub(crate) krate: Krate,
    /// The step that is undone.
    pub(crate) of: Path,
    pub(crate) function: Function,
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
}

pub(crate) fn read(
    args: CleanupArgs,
    mut function: Function,
    errors: &mut Errors,
) -> Result<Cleanup, Box<(CleanupArgs, Function)>> {
    let what = format!("cleanup `{}`", function.sig.ident);
    check::check_of(&args, &function, errors);
    check::check_shape(&what, &function, errors);
    let object = parse_object(&what, &function, errors);
    if let (Some(step), Some(_)) = (&args.of, &object) {
        let step = step.segments.last().map_or_else(String::new, |segment| segment.ident.to_string());
        check::check_context(&what, &step, &function, errors);
    }
    let dependencies = parse_dependencies(&what, &function, errors);
    if let Some(step) = &args.of {
        fill_in(&mut function, step);
    }
    match (&args.of, object) {
        (Some(of), Some(object)) if errors.is_empty() => {
            Ok(Cleanup { krate: args.krate, of: of.clone(), function, object, dependencies })
        }
        _ => Err(Box::new((args, function))),
    }
}

/// Makes `cx: &mut Cx` into `cx: &mut Cx<'_, step>`.
fn fill_in(function: &mut Function, step: &Path) {
    let Some(syn::FnArg::Typed(last)) = function.sig.inputs.last_mut() else { return };
    if !is_context(&last.ty, "Cx") {
        return;
    }
    let Type::Reference(reference) = &mut *last.ty else { return };
    let Type::Path(path) = &mut *reference.elem else { return };
    let Some(segment) = path.path.segments.last_mut() else { return };
    if matches!(segment.arguments, PathArguments::None) {
        segment.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<'_, #step>));
    }
}
