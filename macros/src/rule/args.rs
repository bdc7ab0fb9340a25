//! The arguments of `#[rule(of = K, at = spec)]`.

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream};
use syn::{Expr, ExprField, LitStr, Member, Path};

use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys};
use crate::syntax::krate::Krate;
use crate::syntax::meta::{self, some};

const KEYS: Keys = Keys { known: &["of", "at", "field", "message", "reason", "crate"], many: &[] };

/// A path of fields, such as `spec.template`.
pub(super) type Fields = Vec<Ident>;

#[derive(Default, FromMeta)]
#[darling(default)]
pub(super) struct RuleArgs {
    #[darling(with = |meta| some(meta, |arg| arg.path("GitRepository")))]
    pub(super) of: Option<Path>,
    #[darling(with = |meta| some(meta, |arg| fields(arg, "spec")))]
    pub(super) at: Option<Fields>,
    #[darling(with = |meta| some(meta, |arg| fields(arg, "secret")))]
    pub(super) field: Option<Fields>,
    #[darling(with = |meta| some(meta, |arg| arg.text("\"the URL cannot be changed\"")))]
    pub(super) message: Option<LitStr>,
    #[darling(with = |meta| some(meta, |arg| arg.text("\"FieldValueForbidden\"")))]
    pub(super) reason: Option<LitStr>,
    #[darling(rename = "crate")]
    pub(super) krate: Krate,
    /// Whether an error in the arguments is already reported.
    #[darling(skip)]
    pub(super) wrong: bool,
}

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> RuleArgs {
    let args: RuleArgs = meta::read(tokens, &KEYS, errors);
    RuleArgs { wrong: errors.count() > 0, ..args }
}

/// The fields of `at = spec.template`.
fn fields(arg: &Arg, example: &str) -> syn::Result<Fields> {
    let (key, value) = (&arg.key, arg.value(example)?);
    let mut fields = Vec::new();
    match collect(value, &mut fields) {
        true => Ok(fields),
        false => {
            let headline = format!("`{key}` takes the path of a field");
            Err(mistake(value, headline, format_args!("write `{key} = {example}` or `{key} = {example}.name`")))
        }
    }
}

fn collect(value: &Expr, fields: &mut Fields) -> bool {
    match value {
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
            fields.push(name.clone());
            true
        }),
        Expr::Field(ExprField { base, member: Member::Named(name), .. }) => {
            let is_path = collect(base, fields);
            fields.push(name.clone());
            is_path
        }
        _ => false,
    }
}
