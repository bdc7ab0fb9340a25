//! The argument `suspend`: a field, or a list of the sources and of `record`.

use syn::Expr;

use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, Value, parse_args};

const KEYS: Keys = Keys { known: &["field", "annotation", "record"], many: &[] };
const EXAMPLE: &str = "field = spec.suspend";

/// The sources that suspend an object.
#[derive(Default)]
pub(crate) struct Suspend {
    pub(crate) field: Option<Expr>,
    pub(crate) annotation: bool,
    pub(crate) record: bool,
}

pub(crate) fn parse(arg: &Arg, errors: &mut Errors) -> Option<Suspend> {
    match &arg.value {
        Value::Is(value) => {
            let field = errors.take(field(value))?;
            Some(Suspend { field: Some(field), ..Suspend::default() })
        }
        Value::Word | Value::List(_) => parse_list(arg, errors),
    }
}

fn parse_list(arg: &Arg, errors: &mut Errors) -> Option<Suspend> {
    let list = errors.take(arg.list(EXAMPLE))?;
    let before = errors.count();
    let mut suspend = Suspend::default();
    for arg in parse_args(list, &KEYS, errors) {
        match arg.key.to_string().as_str() {
            "field" => suspend.field = errors.take(arg.value("spec.suspend").and_then(field)),
            "annotation" => suspend.annotation = errors.take(arg.word()).is_some(),
            _ => suspend.record = errors.take(arg.word()).is_some(),
        }
    }
    if suspend.field.is_none() && !suspend.annotation && errors.count() == before {
        let help = "write `suspend(field = spec.suspend, ..)` or `suspend(annotation, ..)`";
        errors.push(&arg.key, "nothing here says when an object is suspended", help);
    }
    Some(suspend)
}

/// A field of the object: `spec.suspend`.
fn field(value: &Expr) -> syn::Result<Expr> {
    match value {
        Expr::Field(_) => Ok(value.clone()),
        other => Err(mistake(other, "`suspend` takes a field of the object", "write `suspend = spec.suspend`")),
    }
}
