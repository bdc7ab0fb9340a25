//! Expands the times of a reconciler, each as a function of the object.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::reconciler::args::ReconcilerArgs;
use crate::reconciler::time::Time;
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::{hidden, hidden_at};
use crate::syntax::krate::Krate;

/// `requeue`, `retry` and `timeout`, if they are given.
pub(super) fn expand_times(args: &ReconcilerArgs) -> TokenStream {
    let times = &args.times;
    let given = [("requeue", &times.requeue), ("retry", &times.retry), ("timeout", &times.timeout)];
    let each = given.into_iter().filter_map(|(name, time)| Some(expand_time(&args.krate, name, time.as_ref()?)));
    quote!(#(#each)*)
}

/// The check that it is a duration has the author's span.
fn expand_time(krate: &Krate, name: &str, time: &Time) -> TokenStream {
    let (name, object) = (format_ident!("{name}"), hidden("object"));
    let value = match time {
        Time::Literal(duration) => {
            let duration = expand_duration(krate, *duration);
            quote!(#krate::std::option::Option::Some(#duration))
        }
        Time::Field(field) => {
            let (here, object) = (krate.at(field.span()), hidden_at("object", field.span()));
            quote_spanned!(field.span()=> #here::IntoInterval::into_interval(#object.#field))
        }
        Time::Function(path) => {
            let (here, object) = (krate.at(path.span()), hidden_at("object", path.span()));
            quote_spanned!(path.span()=> #here::IntoInterval::into_interval(#path(#object)))
        }
    };
    quote! {
        fn #name(#object: &Self::Object) -> #krate::std::option::Option<#krate::std::time::Duration> {
            #value
        }
    }
}
