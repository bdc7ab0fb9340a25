//! The argument `triggers`: labels and annotations that trigger a reconcile, in addition to the spec.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Expr, ExprLit, Lit, LitStr};

use super::check_argument;
use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, Value, parse_args, split};
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys { known: &["spec", "labels", "annotations"], many: &[] };
const EXAMPLE: &str = "\"example.com/tier\"";
/// The prefix of the framework's annotations, which have triggers of their own.
const OURS: &str = "evenkeel.dev/";

/// The labels and annotations that trigger a reconcile.
pub(crate) struct Triggers {
    labels: Names,
    annotations: Names,
}

/// The names of labels or annotations.
enum Names {
    All,
    Only(Vec<LitStr>),
}

pub(crate) fn parse(arg: &Arg, errors: &mut Errors) -> Option<Triggers> {
    let list = errors.take(arg.list("spec"))?;
    let before = errors.count();
    let mut triggers = Triggers { labels: Names::Only(Vec::new()), annotations: Names::Only(Vec::new()) };
    let mut has_spec = false;
    for arg in parse_args(list.clone(), &KEYS, errors) {
        match arg.key.to_string().as_str() {
            "labels" => triggers.labels = names(&arg, errors),
            "annotations" => triggers.annotations = names(&arg, errors),
            _ => has_spec = errors.take(arg.word()).is_some(),
        }
    }
    if !has_spec && errors.count() == before {
        let help = format!("write `triggers(spec, {list})`");
        errors.push(&arg.key, "a change of the spec always triggers a reconcile", help);
    }
    Some(triggers)
}

/// Parses `labels`, or `labels("example.com/tier", ..)`.
fn names(arg: &Arg, errors: &mut Errors) -> Names {
    if matches!(arg.value, Value::Word) {
        return Names::All;
    }
    let list = errors.take(arg.list(EXAMPLE)).unwrap_or_default();
    let mut names: Vec<LitStr> = Vec::new();
    for tokens in split(list) {
        let Some(name) = errors.take(name(arg, tokens)) else { continue };
        if names.iter().any(|earlier| earlier.value() == name.value()) {
            errors.push(&name, format_args!("`{}` is given twice", name.value()), "keep one of them");
        } else {
            names.push(name);
        }
    }
    Names::Only(names)
}

/// Parses one key of a label or an annotation.
fn name(arg: &Arg, tokens: TokenStream) -> syn::Result<LitStr> {
    let key = &arg.key;
    let Ok(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) = syn::parse2::<Expr>(tokens.clone()) else {
        let help = format!("write `{key}({EXAMPLE})`");
        return Err(mistake(tokens, format_args!("`{key}` takes strings"), help));
    };
    if text.value().starts_with(OURS) {
        let headline = format!("`{}` always triggers by its own meaning", text.value());
        return Err(mistake(&text, headline, "leave it out"));
    }
    check_argument::key(text, if key == "labels" { "label" } else { "annotation" }, EXAMPLE)
}

/// Expands to `triggers: Triggers { .. },`.
pub(crate) fn expand(krate: &Krate, triggers: Option<&Triggers>) -> TokenStream {
    let Some(Triggers { labels, annotations }) = triggers else { return TokenStream::new() };
    let [labels, annotations] = [labels, annotations].map(|names| match names {
        Names::All => quote!(#krate::Names::All),
        Names::Only(names) => quote!(#krate::Names::Only(&[#(#names),*])),
    });
    quote!(triggers: #krate::Triggers { labels: #labels, annotations: #annotations },)
}
