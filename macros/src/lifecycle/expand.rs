//! Expands a claim, a hook or a daemon: the function, and its call by a reconciler.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::model::{Args, Moment, Shape, What};
use crate::sub_reconciler::Parts;
use crate::syntax::duration::expand_duration;
use crate::syntax::handler::Link;
use crate::syntax::hidden::hidden;
use crate::syntax::names::plain;
use crate::syntax::sent::expand_sent;

pub(super) fn expand(moment: &Moment) -> Parts {
    let Moment { what, args, function, marker, shape } = moment;
    if shape.is_none() && function.home.is_none() && function.sig.receiver().is_some() {
        // Further items would end up inside the `impl` of the method.
        let nothing = TokenStream::new;
        return Parts { function: function.to_token_stream(), marker: nothing(), impls: nothing() };
    }
    let impls = match shape {
        Some(shape) => expand_link(moment, shape),
        None => expand_poison(moment),
    };
    let marker = marker.define(&function.inherited_as(&format!("this {}.", what.word())), &args.krate);
    let function = match shape {
        Some(_) => expand_sent(function, &args.krate),
        None => quote!(#[allow(dead_code)] #function),
    };
    Parts { function, marker, impls }
}

impl What {
    /// The trait, its method, and `mut` if the method changes the object.
    fn names(self) -> (Ident, Ident, Option<TokenStream>) {
        match self {
            Self::Claim => (format_ident!("Claim"), format_ident!("claim"), Some(quote!(mut))),
            Self::Hook => (format_ident!("Hooked"), format_ident!("hook"), None),
            Self::Daemon => (format_ident!("DaemonOf"), format_ident!("run"), None),
        }
    }
}

/// The point at which a hook runs or the time limit of a daemon; empty for a claim.
fn expand_when(what: What, Args { krate, when, timeout }: &Args) -> TokenStream {
    let timeout = timeout.iter().map(|limit| expand_duration(krate, *limit));
    let when = match when.as_ref().map(ToString::to_string).as_deref() {
        _ if what == What::Claim => return TokenStream::new(),
        _ if what == What::Daemon => {
            let limit = quote!(#krate::std::option::Option<#krate::std::time::Duration>);
            return quote!(#(const TIMEOUT: #limit = #krate::std::option::Option::Some(#timeout);)*);
        }
        Some("read") => "Read",
        Some("after_steps") => "After",
        Some("before_delete") => "BeforeDelete",
        Some("after_delete") => "AfterDelete",
        _ => "Before",
    };
    let when = format_ident!("{when}");
    quote!(const WHEN: #krate::When = #krate::When::#when;)
}

/// The impl by which a reconciler runs it: any reconciler with the dependencies of a function, or the struct of a method.
fn expand_link(moment: &Moment, shape: &Shape) -> TokenStream {
    let Moment { what, args, function, marker, .. } = moment;
    let (krate, Shape { object, dependencies, output }) = (&args.krate, shape);
    let (name, here) = (plain(&function.sig.ident), krate.at(output.span()));
    let error = quote_spanned!(output.span()=> <#output as #here::StepOutput>::Error);
    let (object_, deps) = (hidden("object"), hidden("deps"));
    let last = (*what == What::Daemon).then(|| hidden("daemon"));
    let Link { more, reconciler, asked, called } = Link::of(function, krate, object, dependencies, last.as_ref());
    let last = last.iter();
    let (params, bounds) = marker.params(more.as_ref(), &asked);
    let ((of, method, changes), when) = (what.names(), expand_when(*what, args));
    let is_pure = *what == What::Claim && function.home.is_none() && dependencies.is_empty();
    let pure = is_pure.then(|| quote!(const IS_PURE: #krate::std::primitive::bool = true;));
    quote! {
        #[automatically_derived]
        impl #params #krate::#of<#reconciler> for #marker #bounds {
            type Error = #error;
            const NAME: &'static #krate::std::primitive::str = #name;
            #pure
            #when
            async fn #method(
                #object_: & #changes #object,
                #deps: &<#reconciler as #krate::Reconciler>::Deps,
                #(#last: &#krate::Daemon,)*
            ) -> #krate::std::result::Result<(), Self::Error> {
                #called.await
            }
        }
    }
}

/// The impl of an invalid one: it does nothing, for every reconciler.
fn expand_poison(moment: &Moment) -> TokenStream {
    let Moment { what, args, marker, .. } = moment;
    let (krate, any) = (&args.krate, hidden("R"));
    let last = (*what == What::Daemon).then(|| quote!(_: &#krate::Daemon,));
    let (params, bounds) = marker.params(Some(&any), &quote!(#any: #krate::Reconciler,));
    let ((of, method, changes), when) = (what.names(), expand_when(*what, args));
    quote! {
        impl #params #krate::#of<#any> for #marker #bounds {
            type Error = #krate::ErrorPlaceholder;
            const NAME: &'static #krate::std::primitive::str = "";
            #when
            async fn #method(
                _: & #changes <#any as #krate::Reconciler>::Object,
                _: &<#any as #krate::Reconciler>::Deps,
                #last
            ) -> #krate::std::result::Result<(), Self::Error> {
                #krate::std::result::Result::Ok(())
            }
        }
    }
}
