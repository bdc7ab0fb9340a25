//! The path of a field in the arguments of a macro: `spec.login`.

use proc_macro2::Ident;
use syn::{Expr, ExprField, Member};

/// The names of a path of fields.
pub(crate) type Fields = Vec<Ident>;

/// The names of the path; `None` if the expression is anything else.
pub(crate) fn field_path(value: &Expr) -> Option<Fields> {
    match value {
        Expr::Path(path) => path.path.get_ident().map(|name| vec![name.clone()]),
        Expr::Field(ExprField { base, member: Member::Named(name), .. }) => {
            let mut fields = field_path(base)?;
            fields.push(name.clone());
            Some(fields)
        }
        _ => None,
    }
}
