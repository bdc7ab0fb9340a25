//! The values of the settings of a set.

use syn::{Expr, LitInt, LitStr, Path};

use crate::errors::mistake;
use crate::syntax::time::Time;

/// Where a value of an object comes from.
pub(crate) enum Source {
    /// A field of the object: `spec.policies`.
    Field(Expr),
    /// A function of the object.
    Function(Path),
}

pub(super) fn is_word(value: &Expr, word: &str) -> bool {
    matches!(value, Expr::Path(path) if path.path.is_ident(word))
}

pub(super) fn source(key: &str, value: Expr) -> syn::Result<Source> {
    match value {
        Expr::Field(_) => Ok(Source::Field(value)),
        Expr::Path(path) if path.qself.is_none() => Ok(Source::Function(path.path)),
        _ => Err(mistake(
            value,
            format_args!("`{key}` takes a field or a function of the object"),
            format_args!("write for example `{key} = spec.{}`", if key == "manages" { "types" } else { key }),
        )),
    }
}

/// The time; `None` for the word `never`.
pub(super) fn limit_of(value: &Expr) -> syn::Result<Option<Time>> {
    if is_word(value, "never") { Ok(None) } else { Time::parse("ready_within", value).map(Some) }
}

/// Whether the text can be the prefix of labels and annotations: a DNS name.
pub(super) fn is_prefix(text: &str) -> bool {
    let is_label = |label: &str| {
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        label.starts_with(is_inner) && label.ends_with(is_inner) && label.chars().all(|c| is_inner(c) || c == '-')
    };
    text.split('.').all(is_label)
}

/// The prefix of annotations: a DNS name, and not evenkeel's own.
pub(super) fn prefix(value: Expr) -> syn::Result<LitStr> {
    match value {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. })
            if is_prefix(&text.value()) && text.value() != "evenkeel.dev" =>
        {
            Ok(text)
        }
        value => Err(mistake(
            value,
            "`prefix` takes the prefix of another tool's annotations",
            "write for example `prefix = \"shop-operator.example.com\"`; `evenkeel.dev` is always read",
        )),
    }
}

pub(super) fn number(value: &Expr) -> syn::Result<LitInt> {
    let help = "write for example `limit = 20000`";
    match value {
        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. })
            if number.base10_parse::<u32>().is_ok_and(|n| n > 0) =>
        {
            Ok(number.clone())
        }
        _ => Err(mistake(value, "`limit` takes a number of objects, at least 1", help)),
    }
}
