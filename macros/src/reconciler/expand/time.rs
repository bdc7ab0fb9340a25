//! Expands the times of a reconciler, each as a function of the object.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::reconciler::args::ReconcilerArgs;
use crate::syntax::hidden::hidden;
use crate::syntax::krate::Krate;
use crate::syntax::time::Time;

/// `requeue`, `retry` and `timeout`, if they are given.
pub(super) fn expand_times(args: &ReconcilerArgs) -> TokenStream {
    let times = &args.times;
    let given = [("requeue", &times.requeue), ("retry", &times.retry), ("timeout", &times.timeout)];
    let each = given.into_iter().filter_map(|(name, time)| Some(expand_time(&args.krate, name, time.as_ref()?)));
    quote!(#(#each)*)
}

fn expand_time(krate: &Krate, name: &str, time: &Time) -> TokenStream {
    let (name, object, value) = (format_ident!("{name}"), hidden("object"), time.expand(krate));
    quote! {
        fn #name(#object: &Self::Object) -> #krate::std::option::Option<#krate::std::time::Duration> {
            #value
        }
    }
}
