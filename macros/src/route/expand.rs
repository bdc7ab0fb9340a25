//! Expands a route: the function, its marker, its declarations and its call.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{ReturnType, Type};

use super::model::Route;
use crate::admission::expand_dependencies;
use crate::syntax::duration::expand_duration;
use crate::syntax::hidden::hidden;
use crate::syntax::krate::Krate;
use crate::syntax::names::{camel, plain};
use crate::syntax::sent::expand_sent;

pub(super) fn expand(route: &Route) -> TokenStream {
    let Route { args, function, marker, object, .. } = route;
    let (full, krate) = (&args.krate, &args.krate.short());
    let (import, wiring, call) = (full.import(), expand_wiring(route, krate), expand_call(route, krate));
    let here = full.at(object.span());
    let asked = quote_spanned!(object.span()=> #here::is_kind::<#object>());
    // For another type, the constant is the only error.
    let kind = quote_spanned!(object.span()=> <#object as #here::ReviewedKind<{ #asked }>>::Kind);
    let attrs = function.inherited_as(&format!("the route `{}`.", plain(&function.sig.ident)));
    let (defined, function) = (marker.define(&attrs, full), expand_sent(function, full));
    quote! {
        #function
        #defined
        const _: () = {
            #import
            impl #krate::RouteFunction for #marker {
                type Object = #kind;
                const WIRING: #krate::RouteWiring = #wiring;
            }
            #call
        };
    }
}

/// The wiring: only the fields that the author declared.
fn expand_wiring(route: &Route, krate: &Krate) -> TokenStream {
    let Route { args, method, path, function, .. } = route;
    let (name, method) = (plain(&function.sig.ident), format_ident!("{}", camel(&method.to_string())));
    let resource =
        args.resource.as_ref().map(|resource| quote!(resource: #krate::std::option::Option::Some(#resource),));
    let timeout = args.timeout.map(|timeout| expand_duration(krate, timeout));
    // Clippy reports a rest of nothing in the code of the author.
    let rest = (resource.is_none() || timeout.is_none()).then(|| quote!(..#krate::RouteWiring::DEFAULT));
    let timeout = timeout.into_iter();
    quote! {
        #krate::RouteWiring {
            name: #name,
            method: #krate::RouteMethod::#method,
            path: #path,
            #resource
            #(timeout: #timeout,)*
            #rest
        }
    }
}

/// The call of the function, for all dependencies that contain its own.
fn expand_call(route: &Route, krate: &Krate) -> TokenStream {
    let Route { function, marker, dependencies, has_call, .. } = route;
    let (name, full) = (&function.sig.ident, krate.full());
    let (object, deps, request) = (hidden("object"), hidden("deps"), hidden("request"));
    let provided = dependencies.iter().enumerate().map(|(at, ty)| {
        let at = syn::Index::from(at);
        match ty {
            Type::TraitObject(_) => quote!(&**&#deps.#at,),
            _ => quote!(&#deps.#at,),
        }
    });
    let provided = quote!(#(#provided)*);
    let request_ = has_call.then(|| quote!(#request,));
    let wait = function.sig.asyncness.is_some().then(|| quote!(.await));
    let call = quote_spanned!(name.span()=> #name(#object, #provided #request_));
    let output = match &function.sig.output {
        ReturnType::Type(_, ty) => ty.to_token_stream(),
        ReturnType::Default => quote!(()),
    };
    let here = full.at(output.span());
    let answered = quote_spanned!(output.span()=> #here::answered::<#output>);
    let given = expand_dependencies(dependencies, krate);
    quote! {
        impl #krate::Answers for #marker {
            #given
            #[allow(unused_variables)]
            async fn answer(
                #object: &Self::Object,
                #deps: &Self::Dependencies,
                #request: #krate::RouteCall<'_>,
            ) -> #krate::Reply {
                #answered(#call #wait)
            }
        }
    }
}
