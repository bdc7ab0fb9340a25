//! The argument `bare_status`: where the status of an object is stored whose kind has none of ours.

use darling::FromMeta;
use proc_macro2::Ident;
use syn::LitStr;

use super::check_argument;
use crate::syntax::args::{Arg, Keys};
use crate::syntax::meta::{self, flag, some};

const KEYS: Keys = Keys { known: &["annotation", "conditions"], many: &[] };
const EXAMPLE: &str = "annotation";

#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct BareStatus {
    /// The keyword, for its span.
    #[darling(skip)]
    pub(crate) word: Option<Ident>,
    /// Whether an annotation holds the status after the last success.
    #[darling(with = flag)]
    pub(crate) annotation: bool,
    /// The domain of our conditions in the status of the object.
    #[darling(with = |meta| some(meta, |arg| check_argument::domain(arg.text("\"example.com\"")?)))]
    pub(crate) conditions: Option<LitStr>,
}

pub(crate) fn parse(arg: &Arg) -> syn::Result<BareStatus> {
    let status = meta::nested(arg, EXAMPLE, &KEYS, |status: &BareStatus, errors| {
        if status.conditions.is_none() && !status.annotation {
            let help = "write `bare_status(annotation)` or `bare_status(conditions = \"example.com\")`";
            errors.push(&arg.key, "`bare_status` names no place", help);
        }
    })?;
    Ok(BareStatus { word: Some(arg.key.clone()), ..status })
}
