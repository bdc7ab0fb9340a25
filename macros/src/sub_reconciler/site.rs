//! The argument `site`: the function that says where and as whom a step acts.

use syn::Path;

use crate::errors::mistake;
use crate::syntax::args::Arg;

/// Parses `site = place`.
pub(super) fn parse(arg: &Arg) -> syn::Result<Path> {
    let path = arg.path("place")?;
    if path.segments.first().is_some_and(|first| first.ident == "Self") {
        let help =
            "write it outside of the `impl`, with the object and the context of the step as parameters: `site = place`";
        return Err(mistake(&path, "`site` takes a function, not a method", help));
    }
    Ok(path)
}
