//! The argument `previously(..)` of `dependents`: what an earlier tool left on the objects, and the earlier names of the step.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{LitStr, Token, parenthesized};

use super::keeps_value::is_prefix;
use crate::errors::mistake;
use crate::syntax::krate::Krate;
use crate::syntax::names::function_name;
use crate::syntax::suggest;

const LISTS: [&str; 3] = ["field_managers", "marks", "steps"];
const EXAMPLE: &str = "write for example `previously(field_managers(\"helm\"), marks(\"shop-operator.example.com\"))`";

/// `previously(field_managers("helm"), marks("shop-operator.example.com"))`.
#[derive(Default)]
pub(crate) struct Former {
    managers: Vec<LitStr>,
    marks: Vec<LitStr>,
    /// The names of the function.
    steps: Vec<LitStr>,
}

impl Former {
    /// Parses what is in the parentheses behind `key`.
    pub(super) fn parse(key: &Ident, input: ParseStream, found: &mut Vec<syn::Error>) -> syn::Result<Self> {
        let mut former = Self::default();
        while !input.is_empty() {
            let name = input.call(Ident::parse_any)?;
            let list;
            parenthesized!(list in input);
            let texts = Punctuated::<LitStr, Token![,]>::parse_terminated(&list)?;
            match name.to_string().as_str() {
                "field_managers" => former.managers.extend(texts),
                "marks" => {
                    let wrong = texts.iter().filter(|text| !is_prefix(&text.value()));
                    found.extend(wrong.map(|text| {
                        let help = "write the name of the earlier reconciler: `marks(\"shop-operator.example.com\")`";
                        mistake(text, format_args!("`{}` is no prefix of labels", text.value()), help)
                    }));
                    former.marks.extend(texts);
                }
                "steps" => {
                    for text in texts {
                        match function_name(text, "steps") {
                            Ok(text) => former.steps.push(text),
                            Err(error) => found.push(error),
                        }
                    }
                }
                other => {
                    found.push(mistake(&name, format_args!("unknown list `{other}`"), suggest::help(other, &LISTS)));
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        let is_empty = [&former.managers, &former.marks, &former.steps].iter().all(|list| list.is_empty());
        if is_empty && found.is_empty() {
            found.push(mistake(key, "`previously` names no earlier tool", EXAMPLE));
        }
        Ok(former)
    }

    /// The fields of the wiring.
    pub(super) fn expand(&self, krate: &Krate) -> TokenStream {
        let Self { managers, marks, steps } = self;
        let tool = (!managers.is_empty() || !marks.is_empty())
            .then(|| quote!(previously: #krate::FormerTool { managers: &[#(#managers),*], marks: &[#(#marks),*] },));
        let formerly = (!steps.is_empty()).then(|| quote!(formerly: &[#(#steps),*],));
        quote!(#tool #formerly)
    }
}
