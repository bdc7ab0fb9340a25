//! Expands the times of a reconciler, each as a function of the object.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::reconciler::args::ReconcilerArgs;
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::hidden;
use crate::syntax::krate::Krate;
use crate::syntax::time::Time;
use crate::syntax::written::written;

/// `requeue`, `retry` and `timeout`, if they are given.
pub(super) fn expand_times(args: &ReconcilerArgs) -> TokenStream {
    let times = &args.times;
    let given = [("requeue", &times.requeue), ("retry", &times.retry), ("timeout", &times.timeout)];
    let each = given.into_iter().filter_map(|(name, time)| Some(expand_time(&args.krate, name, time.as_ref()?)));
    quote!(#(#each)*)
}

/// The same times as constants of the wiring, for documentation and alerts.
pub(super) fn expand_declared(args: &ReconcilerArgs) -> TokenStream {
    let (krate, times) = (&args.krate, &args.times);
    let given = [("requeue", &times.requeue), ("retry", &times.retry), ("timeout", &times.timeout)];
    let each = given.iter().filter_map(|(name, time)| {
        let (name, time) = (format_ident!("{name}"), expand_constant(krate, time.as_ref()?));
        Some(quote!(#name: #krate::std::option::Option::Some(#time),))
    });
    let each: Vec<_> = each.collect();
    if each.is_empty() {
        return TokenStream::new();
    }
    // Clippy rejects a base that sets nothing.
    let base = (each.len() < given.len()).then(|| quote!(..#krate::DeclaredTimes::NONE)).into_iter();
    quote!(times: #krate::DeclaredTimes { #(#each)* #(#base)* },)
}

fn expand_constant(krate: &Krate, time: &Time) -> TokenStream {
    let computed = |expression: String| quote!(#krate::DeclaredTime::Computed(#expression));
    match time {
        Time::Literal(duration) => {
            let duration = expand_duration(krate, *duration);
            quote!(#krate::DeclaredTime::Fixed(#duration))
        }
        Time::Field(field) => computed(written(field)),
        Time::Function(path) => computed(format!("{}(..)", written(path))),
    }
}

fn expand_time(krate: &Krate, name: &str, time: &Time) -> TokenStream {
    let (name, object, value) = (format_ident!("{name}"), hidden("object"), time.expand(krate));
    quote! {
        fn #name(#object: &Self::Object) -> #krate::std::option::Option<#krate::std::time::Duration> {
            #value
        }
    }
}
