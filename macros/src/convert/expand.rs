//! Expands a conversion: its declarations, and its functions for objects of any type.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::args::Fields;
use super::model::Conversion;
use crate::syntax::hidden::{hidden, hidden_at};
use crate::syntax::names::plain;

pub(super) fn expand(conversion: &Conversion) -> TokenStream {
    let Conversion { krate, spoke, hub, .. } = conversion;
    let (import, wiring) = (krate.import(), expand_wiring(conversion));
    let paths = expand_paths(conversion);
    quote! {
        #[automatically_derived]
        impl #krate::Spoke for #spoke {
            type Hub = #hub;
            const CONVERSION: #krate::ConversionWiring = {
                #import
                #wiring
            };
        }
        #paths
    }
}

fn expand_wiring(conversion: &Conversion) -> TokenStream {
    let Conversion { krate, spoke, hub, stash, lossy, deprecated, spec, status } = conversion;
    let [own, stored] = [checked(conversion, spoke, "own"), checked(conversion, hub, "stored")];
    let short = krate.short();
    let some = |value: TokenStream| quote!(#short::std::option::Option::Some(#value));
    let spec = expand_functions(conversion, "ConvertedSpecOf", spec);
    let status = status.as_ref().map(|status| some(expand_functions(conversion, "ConvertedStatusOf", status)));
    let (own_name, stored_name) = (hidden("own"), hidden("stored"));
    let stash = stash.as_ref().map(|paths| some(expand_list(paths)));
    let deprecated = deprecated.as_ref().map(|text| some(quote!(#text)));
    let (status, stash, deprecated) = (status.iter(), stash.iter(), deprecated.iter());
    let lossy = (!lossy.is_empty()).then(|| expand_list(lossy));
    let lossy = lossy.iter();
    quote! {
        #own
        #stored
        #short::ConversionWiring {
            #(status: #status,)*
            #(stash: #stash,)*
            #(lossy: #lossy,)*
            #(deprecated: #deprecated,)*
            ..#short::ConversionWiring::between::<#own_name, #stored_name>(#spec)
        }
    }
}

/// The name of a version. For another type, its check is the only error.
fn checked(conversion: &Conversion, kind: &dyn ToTokens, name: &str) -> TokenStream {
    let (span, name) = (kind.span(), hidden(name));
    let here = conversion.krate.short().at(span);
    let check = quote_spanned!(span=> #here::is_version::<#kind>());
    quote_spanned!(span=> #[allow(non_camel_case_types)] type #name = <#kind as #here::Checked<{ #check }>>::Itself;)
}

/// The two functions, with JSON instead of their types.
fn expand_functions(conversion: &Conversion, of: &str, (up, down): &(Ident, Ident)) -> TokenStream {
    let Conversion { krate, spoke, hub, .. } = conversion;
    let (short, part) = (krate.short(), format_ident!("{of}"));
    let [own, stored] = ["own", "stored"].map(|name| hidden(&format!("{name}_{of}")));
    let named = |name: &Ident, kind: &str, span: Span| {
        let (here, kind) = (short.at(span), hidden_at(kind, span));
        let check = match of {
            "ConvertedStatusOf" => quote_spanned!(span=> #here::has_status::<#kind>()),
            _ => quote!(0),
        };
        let checked = quote_spanned!(span=> <#kind as #here::Checked<{ #check }>>::Itself);
        quote_spanned!(span=> #[allow(non_camel_case_types)] type #name = #here::#part<#checked>;)
    };
    let types = [named(&own, "own", spoke.span()), named(&stored, "stored", hub.span())];
    let function = |name: &Ident, [from, to]: [&Ident; 2]| {
        let (value, function, here) = (hidden("value"), hidden("function"), short.at(name.span()));
        // With the location of the name, where rustc reports other types.
        let typed = quote_spanned!(name.span()=> let #function: #here::Conversion<#from, #to> = <#spoke>::#name;);
        quote!(|#value| { #typed #short::convert(#value, #function) })
    };
    let (up, down) = (function(up, [&own, &stored]), function(down, [&stored, &own]));
    quote! {
        {
            #(#types)*
            #short::ConvertFunctions {
                up: #up,
                down: #down,
                spoke: #short::convert_to_itself::<#own>,
                hub: #short::convert_to_itself::<#stored>,
            }
        }
    }
}

fn expand_list(paths: &[Fields]) -> TokenStream {
    let paths = paths.iter().map(|fields| {
        let names = fields.iter().map(plain);
        quote!(&[#(#names),*])
    });
    quote!(&[#(#paths),*])
}

/// Code that does not compile if a path does not exist in the stored version.
fn expand_paths(conversion: &Conversion) -> TokenStream {
    let Conversion { krate, hub, stash, lossy, .. } = conversion;
    let paths: Vec<&Fields> = stash.iter().flatten().chain(lossy).collect();
    if paths.is_empty() {
        return TokenStream::new();
    }
    let (import, short, object) = (krate.import(), krate.short(), hidden("object"));
    let found = paths.iter().map(|fields| {
        let start = quote!(#short::std::option::Option::Some(#object));
        let path = fields.iter().fold(start, |found, field| {
            let step = quote_spanned!(field.span()=> |#object| #short::At(&#object.#field).located());
            quote!(#found.and_then(#step))
        });
        quote!(let _ = #path;)
    });
    quote! {
        const _: () = {
            #import
            #[allow(dead_code)]
            fn paths(#object: &#hub) {
                #[allow(unused_imports)]
                use #short::Located as _;
                #(#found)*
            }
        };
    }
}
