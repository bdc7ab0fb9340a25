//! The arguments of `#[rule(of = K, at = spec)]`.

use darling::FromMeta;
use proc_macro2::TokenStream;
use syn::{LitStr, Path};

use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys};
pub(super) use crate::syntax::field_path::Fields;
use crate::syntax::field_path::field_path;
use crate::syntax::krate::Krate;
use crate::syntax::meta::{self, some};

const KEYS: Keys = Keys { known: &["of", "at", "field", "message", "reason", "crate"], many: &[] };

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
    field_path(value).ok_or_else(|| {
        let headline = format!("`{key}` takes the path of a field");
        mistake(value, headline, format_args!("write `{key} = {example}` or `{key} = {example}.name`"))
    })
}
