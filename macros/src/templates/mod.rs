//! `templates!`: embeds the templates of a folder, with the kinds of their documents.

mod annotation;
mod args;
mod check;
mod document;
mod expand;
mod folder;
mod json;
mod metadata;
mod plain_text;
mod yaml;

use proc_macro2::TokenStream;
use quote::quote;

use self::args::TemplatesArgs;
use crate::errors::Errors;

/// Expands the macro to a constant. Each mistake is one error at the literal.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let Some(args) = errors.take(syn::parse2::<TemplatesArgs>(input)) else { return quote!(#errors) };
    let Some(folder) = errors.take(folder::read(&args.folder)) else { return quote!(#errors) };
    let files = check::check(&args.folder, folder, &mut errors);
    // The type of an error is whatever is expected, so it causes no second one.
    match errors.count() {
        0 => expand::expand(&args, &files),
        _ => quote!({ #errors }),
    }
}
