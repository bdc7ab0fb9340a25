//! Dependencies between objects: a field of the object, or a function of it.

use syn::{Expr, Path};

use crate::errors::mistake;
use crate::syntax::args::Arg;

/// The source of the objects that must be ready first.
pub(crate) enum Dependencies {
    /// A field of the object: `spec.depends_on`.
    Field(Expr),
    /// A function of the object: `needed_by`.
    Function(Path),
}

pub(crate) fn parse(arg: &Arg) -> syn::Result<Dependencies> {
    match arg.value("spec.depends_on")? {
        field @ Expr::Field(_) => Ok(Dependencies::Field(field.clone())),
        Expr::Path(path) if path.qself.is_none() => Ok(Dependencies::Function(path.path.clone())),
        other => {
            let headline = "`depends_on` takes a field of the object, or a function of it";
            Err(mistake(other, headline, "write `depends_on = spec.depends_on`"))
        }
    }
}
