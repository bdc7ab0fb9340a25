//! The arguments: the folder, and the path of the runtime.

use syn::parse::{Parse, ParseStream};
use syn::{Expr, LitStr, Token};

use crate::errors::{mistake, mistake_at};
use crate::syntax::krate::Krate;

/// `"manifests", crate = ::path`.
pub(super) struct TemplatesArgs {
    pub(super) folder: LitStr,
    pub(super) krate: Krate,
}

const HELP: &str = "write the folder with the templates: `templates!(\"manifests\")`";

impl Parse for TemplatesArgs {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if input.is_empty() {
            return Err(mistake_at(input.span(), "`templates!` names no folder", HELP));
        }
        let value: Expr = input.parse()?;
        let Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(folder), .. }) = value else {
            return Err(mistake(value, "`templates!` takes the path of a folder", HELP));
        };
        let mut krate = Krate::DEFAULT;
        if input.parse::<Option<Token![,]>>()?.is_some() && input.peek(Token![crate]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            krate = Krate::parse(&input.parse()?)?;
            input.parse::<Option<Token![,]>>()?;
        }
        match input.is_empty() {
            true => Ok(Self { folder, krate }),
            false => Err(input.error("`templates!` takes one folder\nhelp: make a constant for each folder")),
        }
    }
}
