//! Expands a rule: the function, its type, and its declarations.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;
use syn::spanned::Spanned;

use super::form::Form;
use super::model::Rule;
use crate::syntax::function::Function;
use crate::syntax::hidden::{hidden, hidden_at};
use crate::syntax::names::plain;

pub(super) fn expand(rule: &Rule, function: &Function) -> TokenStream {
    let Rule { krate, of, .. } = rule;
    let (type_, name) = (expand_type(function), &function.sig.ident);
    let (declared, evaluate) = (expand_declared(rule, function), expand_evaluate(rule, function));
    quote! {
        #function
        #type_
        #[automatically_derived]
        impl #krate::Rule for #name {
            type Kind = #of;
            #declared
            #evaluate
        }
    }
}

/// The type with the name of the function.
pub(super) fn expand_type(function: &Function) -> TokenStream {
    let (vis, name) = (&function.vis, &function.sig.ident);
    let attrs = function.inherited_as("the rule, for `Operator::rules`.");
    quote!(#attrs #[allow(non_camel_case_types)] #vis struct #name {})
}

fn expand_declared(rule: &Rule, function: &Function) -> TokenStream {
    let krate = &rule.krate;
    let (import, short) = (krate.import(), krate.short());
    let name = plain(&function.sig.ident);
    let [at, field] = [&rule.at, &rule.field].map(|path| path.iter().map(plain).collect::<Vec<_>>());
    let option = |text: &Option<String>| match text {
        Some(text) => quote!(#short::std::option::Option::Some(#text)),
        None => quote!(#short::std::option::Option::None),
    };
    let (message, reason, expression) = (option(&rule.message), option(&rule.reason), &rule.expression);
    let form = match rule.form {
        Form::Part { .. } => quote!(Definition),
        Form::Policy => quote!(AdmissionPolicy),
    };
    quote! {
        const DECLARED: #krate::Declared = {
            #import
            #short::Declared {
                name: #name,
                form: #short::Form::#form,
                at: &[#(#at),*],
                field: &[#(#field),*],
                message: #message,
                reason: #reason,
                expression: &#expression,
            }
        };
    }
}

/// The call of the function, for tests that compare it with its CEL.
fn expand_evaluate(rule: &Rule, function: &Function) -> TokenStream {
    let Rule { krate, of, .. } = rule;
    let [object, old, request] = ["object", "old", "request"].map(hidden);
    let (import, short, name) = (krate.import(), krate.short(), &function.sig.ident);
    let call = match &rule.form {
        Form::Policy => quote!(#short::std::option::Option::Some(#name(#object, #old, #request))),
        Form::Part { ty, old: uses_old } => {
            let at = expand_at(rule, ty);
            let part = hidden("part");
            let old = uses_old.then(|| quote!(, #part(#old?)?));
            quote!(#at #short::std::option::Option::Some(#name(#part(#object)? #old)))
        }
    };
    quote! {
        #[allow(unused_variables, clippy::needless_question_mark, clippy::question_mark)]
        fn evaluate(
            #object: &#of,
            #old: #krate::std::option::Option<&#of>,
            #request: &#krate::Request,
        ) -> #krate::std::option::Option<#krate::std::primitive::bool> {
            #import
            #call
        }
    }
}

/// The function that finds the part of an object. rustc compares its type with that of the parameter.
fn expand_at(rule: &Rule, ty: &Type) -> TokenStream {
    let Rule { krate, of, at, .. } = rule;
    let short = krate.short();
    let [object, part] = ["object", "part"].map(hidden);
    // With the location of the type, since rustc compares the two there.
    let (there, first) = (short.at(ty.span()), hidden_at("object", ty.span()));
    let mut found = quote_spanned!(ty.span()=> #there::std::option::Option::Some(#first));
    for field in at {
        let step = quote_spanned!(field.span()=> |#object| #short::At(&#object.#field).located());
        found = quote_spanned!(ty.span()=> #found.and_then(#step));
    }
    let ty = ty.to_token_stream();
    let returned = quote_spanned!(ty.span()=> #short::std::option::Option<&#ty>);
    quote! {
        fn #part(#object: &#of) -> #returned {
            #[allow(unused_imports)]
            use #short::Located as _;
            #found
        }
    }
}
