//! The argument `suspend`: a field, or a list of the sources and of `record`.

use darling::FromMeta;
use syn::Expr;

use crate::errors::mistake;
use crate::syntax::args::{Arg, Keys, Value};
use crate::syntax::meta::{self, flag, some};

const KEYS: Keys = Keys { known: &["field", "annotation", "record"], many: &[] };
const EXAMPLE: &str = "field = spec.suspend";

/// The sources that suspend an object.
#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct Suspend {
    #[darling(with = |meta| some(meta, |arg| parse_field(arg.value("spec.suspend")?)))]
    pub(crate) field: Option<Expr>,
    #[darling(with = flag)]
    pub(crate) annotation: bool,
    #[darling(with = flag)]
    pub(crate) record: bool,
}

pub(crate) fn parse(arg: &Arg) -> syn::Result<Suspend> {
    if let Value::Is(value) = &arg.value {
        return Ok(Suspend { field: Some(parse_field(value)?), ..Suspend::default() });
    }
    meta::nested(arg, EXAMPLE, &KEYS, |suspend: &Suspend, errors| {
        if suspend.field.is_none() && !suspend.annotation {
            let help = "write `suspend(field = spec.suspend, ..)` or `suspend(annotation, ..)`";
            errors.push(&arg.key, "`suspend` names neither a field nor an annotation", help);
        }
    })
}

/// A field of the object: `spec.suspend`.
fn parse_field(value: &Expr) -> syn::Result<Expr> {
    match value {
        Expr::Field(_) => Ok(value.clone()),
        other => Err(mistake(other, "`suspend` takes a field of the object", "write `suspend = spec.suspend`")),
    }
}
