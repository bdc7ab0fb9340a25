//! Expands a status: the struct with all its fields and derives, and the impl of the contract.

use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::LitStr;
use syn::spanned::Spanned;

use super::draft;
use super::model::{Draft, Field, Shape, Status};
use crate::syntax::krate::Krate;
use crate::syntax::names::plain;

pub(crate) fn expand(status: &Status) -> TokenStream {
    let item = expand_struct(status);
    match status.draft {
        Draft::Status => {
            let contract = expand_contract(status, &quote!(Self));
            quote!(#item #contract)
        }
        Draft::Restricted => {
            let name = format_ident!("{}Draft", plain(&status.item.ident));
            let (draft, contract) = (draft::expand(status, &name), expand_contract(status, &quote!(#name)));
            quote!(#item const _: () = { #draft #contract };)
        }
    }
}

fn expand_contract(status: &Status, draft: &TokenStream) -> TokenStream {
    let (krate, ident) = (&status.krate, &status.item.ident);
    let tokens = expand_tokens(krate);
    let dependents = status.dependents.then(|| {
        quote! {
            fn dependents(&self) -> #krate::std::option::Option<&#krate::SetStatuses> {
                #krate::std::option::Option::Some(&self.dependents)
            }
        }
    });
    let stores = status.dependents.then(|| quote!(impl #krate::StoresDependents for #ident {}));
    quote! {
        #[automatically_derived]
        impl #krate::StatusContract for #ident {
            type Draft = #draft;
            fn observed_generation(&self) -> #krate::std::option::Option<#krate::std::primitive::i64> {
                self.observed_generation
            }
            fn conditions(&self) -> &[#krate::Condition] {
                &self.conditions
            }
            fn observed_inputs(&self) -> #krate::std::option::Option<&#krate::ObservedInputs> {
                self.observed_inputs.as_ref()
            }
            fn last_handled_reconcile_at(&self) -> #krate::std::option::Option<&#krate::std::primitive::str> {
                self.last_handled_reconcile_at.as_deref()
            }
            fn last_handled_actions(&self) -> #krate::std::option::Option<&#tokens> {
                #krate::std::option::Option::Some(&self.last_handled_actions)
            }
            fn observed_by(
                &self,
            ) -> #krate::std::option::Option<&#krate::std::collections::BTreeMap<#krate::std::string::String, #krate::ObservedBy>> {
                #krate::std::option::Option::Some(&self.observed_by)
            }
            #dependents
        }
        #stores
    }
}

/// The type of a map from actions to tokens.
fn expand_tokens(krate: &Krate) -> TokenStream {
    quote!(#krate::std::collections::BTreeMap<#krate::std::string::String, #krate::std::string::String>)
}

fn expand_struct(status: &Status) -> TokenStream {
    let Status { krate, item, fields, .. } = status;
    let (attrs, vis, ident) = (&item.attrs, &item.vis, &item.ident);
    let derives = expand_derives(status);
    let own = fields.iter().filter(|field| !field.framework).map(|field| expand_field(status, field));
    let kept = expand_kept(status);
    let schemars = krate.text("schemars");
    quote! {
        #(#attrs)*
        #derives
        // The default is on the status itself, so that it applies to an object without a status, which would look current otherwise.
        #[schemars(crate = #schemars, extend("default" = { "observedGeneration": -1 }))]
        #vis struct #ident {
            #(#own,)*
            #kept
        }
    }
}

fn expand_derives(status: &Status) -> TokenStream {
    let krate = &status.krate;
    let paths = status.derives.iter().map(|name| {
        let ident = format_ident!("{name}");
        match *name {
            "Clone" => quote!(#krate::std::clone::#ident),
            "Debug" => quote!(#krate::std::fmt::#ident),
            "Default" => quote!(#krate::std::default::#ident),
            "PartialEq" => quote!(#krate::std::cmp::#ident),
            "JsonSchema" => quote!(#krate::schemars::#ident),
            _ => quote!(#krate::serde::#ident),
        }
    });
    let serde = krate.text("serde");
    let names = (!status.renames).then(|| quote!(, rename_all = "camelCase"));
    quote!(#[derive(#(#paths),*)] #[serde(crate = #serde #names)])
}

/// The author's field, omitted in JSON when it is empty.
fn expand_field(status: &Status, field: &Field) -> TokenStream {
    let (krate, tokens) = (&status.krate, &field.tokens);
    let schema = expand_schema(krate, field);
    let skip = match field.shape {
        Shape::Optional => krate.text("std::option::Option::is_none"),
        Shape::Empty => krate.text("is_empty"),
        Shape::Defaulted | Shape::Required => return quote!(#schema #tokens),
    };
    quote!(#[serde(default, skip_serializing_if = #skip)] #schema #tokens)
}

/// Generates the schema through our own function, which suggests the derive if there is none. An attribute of the author is retained.
fn expand_schema(krate: &Krate, field: &Field) -> TokenStream {
    if field.tokens.attrs.iter().any(|attr| attr.path().is_ident("schemars") || attr.path().is_ident("serde")) {
        return TokenStream::new();
    }
    let (ty, span) = (field.ty.to_token_stream().to_string(), field.ty.span());
    let function = format!("{}::<{ty}>", krate.text("field_schema"));
    let function = LitStr::new(&function, span);
    quote!(#[schemars(schema_with = #function)])
}

fn expand_kept(status: &Status) -> TokenStream {
    let krate = &status.krate;
    let none = krate.text("std::option::Option::is_none");
    let empty = krate.text("is_empty");
    let (read, schema) = (krate.text("read_observed_by"), krate.text("observed_by_schema"));
    let tokens = expand_tokens(krate);
    let dependents = status.dependents.then(|| {
        quote! {
            /// The sets of dependents: which kinds they may have, and how far they are.
            #[serde(rename = "dependents", default, skip_serializing_if = #empty)]
            pub dependents: #krate::SetStatuses,
        }
    });
    quote! {
        /// The generation of the spec that was last reconciled to a final outcome; -1 for a new object.
        #[serde(rename = "observedGeneration", default, skip_serializing_if = #none)]
        pub observed_generation: #krate::std::option::Option<#krate::std::primitive::i64>,
        /// The conditions of the object.
        #[serde(rename = "conditions", default, skip_serializing_if = #empty)]
        #[schemars(extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
        pub conditions: #krate::std::vec::Vec<#krate::Condition>,
        /// The inputs of the last reconcile. After a restart, the controller skips objects whose inputs are unchanged.
        #[serde(rename = "observedInputs", default, skip_serializing_if = #none)]
        pub observed_inputs: #krate::std::option::Option<#krate::ObservedInputs>,
        /// The token of the last reconcile that an annotation requested.
        #[serde(rename = "lastHandledReconcileAt", default, skip_serializing_if = #none)]
        pub last_handled_reconcile_at: #krate::std::option::Option<#krate::std::string::String>,
        /// The state of further reconcilers of the kind, by name.
        #[serde(rename = "observedBy", default, skip_serializing_if = #empty, deserialize_with = #read)]
        #[schemars(schema_with = #schema)]
        pub observed_by: #krate::std::collections::BTreeMap<#krate::std::string::String, #krate::ObservedBy>,
        /// The last handled tokens of requested actions, by action.
        #[serde(rename = "lastHandledActions", default, skip_serializing_if = #empty)]
        pub last_handled_actions: #tokens,
        #dependents
    }
}
