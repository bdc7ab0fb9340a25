//! Expands the draft of a status: the author's fields as steps use them.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Attribute, Path};

use super::model::{Field, Status};
use crate::syntax::krate::Krate;

pub(crate) fn expand(status: &Status, name: &Ident) -> TokenStream {
    let (krate, vis, ident) = (&status.krate, &status.item.vis, &status.item.ident);
    let own = || status.fields.iter().filter(|field| !field.framework);
    let (fields, opened, closed) =
        (own().map(|f| declare(krate, f)), own().map(|f| open(krate, f)), own().map(|f| close(krate, f)));
    quote! {
        #[allow(private_interfaces, missing_docs, missing_debug_implementations, reason = "only steps see it")]
        #vis struct #name {
            #(#fields,)*
        }
        #[automatically_derived]
        impl #krate::StatusDraft<#ident> for #name {
            fn open(status: #ident, key: &#krate::DraftKey) -> Self {
                Self { #(#opened,)* }
            }
            fn close(&self) -> #krate::std::borrow::Cow<'_, #ident> {
                #krate::std::borrow::Cow::Owned(#ident {
                    #(#closed,)*
                    ..<#ident as #krate::std::default::Default>::default()
                })
            }
        }
    }
}

fn declare(krate: &Krate, field: &Field) -> TokenStream {
    let (kept, vis, ident, ty) = (kept(field, &["cfg", "doc"]), &field.tokens.vis, &field.ident, &field.ty);
    let ty = written(field, |step| quote!(#krate::Restricted<#step, #krate::with_cx_write, #ty>), quote!(#ty));
    quote!(#(#kept)* #vis #ident: #ty)
}

fn open(krate: &Krate, field: &Field) -> TokenStream {
    let (kept, ident) = (kept(field, &["cfg"]), &field.ident);
    let one = |step: &Path| {
        // If it is not a step, rustc reports that at the user's token.
        let runtime = krate.at(step.span());
        let new = quote_spanned!(step.span()=> #runtime::Restricted::new);
        quote!(#new(status.#ident, key))
    };
    let value = written(field, one, quote!(status.#ident));
    quote!(#(#kept)* #ident: #value)
}

fn close(krate: &Krate, field: &Field) -> TokenStream {
    let (kept, ident) = (kept(field, &["cfg"]), &field.ident);
    let value = written(field, |_| quote!(*self.#ident), quote!(self.#ident));
    quote!(#(#kept)* #ident: #krate::std::clone::Clone::clone(&#value))
}

/// Selects the tokens for a field that only one step writes (`one`) or every step (`all`).
fn written(field: &Field, one: impl FnOnce(&Path) -> TokenStream, all: TokenStream) -> TokenStream {
    field.step.as_ref().map_or(all, one)
}

fn kept<'f>(field: &'f Field, names: &[&str]) -> Vec<&'f Attribute> {
    let attrs = field.tokens.attrs.iter();
    attrs.filter(|attr| names.iter().any(|name| attr.path().is_ident(name))).collect()
}
