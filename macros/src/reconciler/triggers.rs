//! The argument `triggers`: labels and annotations that trigger a reconcile, in addition to the spec.

use darling::FromMeta;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit, LitStr};

use super::check_argument;
use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, Value, split};
use crate::syntax::krate::Krate;
use crate::syntax::meta::{self, flag, value};

const KEYS: Keys = Keys { known: &["spec", "labels", "annotations"], many: &[] };
const EXAMPLE: &str = "\"example.com/tier\"";
/// The prefix of the framework's annotations, which have triggers of their own.
const OURS: &str = "evenkeel.dev/";

/// The labels and annotations that trigger a reconcile.
#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct Triggers {
    #[darling(with = flag)]
    spec: bool,
    #[darling(with = |meta| value(meta, names))]
    labels: Names,
    #[darling(with = |meta| value(meta, names))]
    annotations: Names,
}

/// The names of labels or annotations.
enum Names {
    All,
    Only(Vec<LitStr>),
}

impl Default for Names {
    fn default() -> Self {
        Self::Only(Vec::new())
    }
}

pub(crate) fn parse(arg: &Arg) -> syn::Result<Triggers> {
    meta::nested(arg, "spec", &KEYS, |triggers: &Triggers, errors| {
        if !triggers.spec {
            let help = format!("write `triggers(spec, {})`", arg.list("spec").unwrap_or_default());
            errors.push(&arg.key, "a change of the spec always triggers a reconcile", help);
        }
    })
}

/// Parses `labels`, or `labels("example.com/tier", ..)`.
fn names(arg: &Arg) -> syn::Result<Names> {
    if matches!(arg.value, Value::Word) {
        return Ok(Names::All);
    }
    let (mut names, mut errors): (Vec<LitStr>, _) = (Vec::new(), Errors::default());
    for tokens in split(arg.list(EXAMPLE)?) {
        let Some(name) = errors.take(name(arg, tokens)) else { continue };
        if names.iter().any(|earlier| earlier.value() == name.value()) {
            errors.push(&name, format_args!("`{}` is given twice", name.value()), "keep one of them");
        } else {
            names.push(name);
        }
    }
    errors.into_result().map(|()| Names::Only(names))
}

/// Parses one key of a label or an annotation.
fn name(arg: &Arg, tokens: TokenStream) -> syn::Result<LitStr> {
    let key = &arg.key;
    let Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = syn::parse2::<Expr>(tokens.clone()) else {
        let help = format!("write `{key}({EXAMPLE})`");
        return Err(mistake(tokens, format_args!("`{key}` takes strings"), help));
    };
    if text.value().starts_with(OURS) {
        let headline = format!("`{}` always triggers a reconcile", text.value());
        return Err(mistake(&text, headline, "leave it out"));
    }
    check_argument::key(text, if key == "labels" { "label" } else { "annotation" }, EXAMPLE)
}

/// Expands to `triggers: Triggers { .. },`.
pub(crate) fn expand(krate: &Krate, triggers: Option<&Triggers>) -> TokenStream {
    let Some(Triggers { labels, annotations, .. }) = triggers else { return TokenStream::new() };
    let [labels, annotations] = [labels, annotations].map(|names| match names {
        Names::All => quote!(#krate::Names::All),
        Names::Only(names) => quote!(#krate::Names::Only(&[#(#names),*])),
    });
    quote!(triggers: #krate::Triggers { labels: #labels, annotations: #annotations },)
}
