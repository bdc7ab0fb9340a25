//! `#[condition_set(..)]` on the enum, `#[condition(..)]` on a variant.

use proc_macro2::Ident;
use syn::Attribute;

use crate::errors::{Errors, mistake};
use crate::syntax::args::{Keys, arguments, parse_attrs};
use crate::syntax::krate::Krate;
use crate::syntax::names::plain;

const SET: Keys = Keys { known: &["mod", "crate"], many: &[] };
const CONDITION: Keys = Keys { known: &["positive", "negative"], many: &[] };

/// What `#[condition_set(..)]` says.
pub(crate) struct SetArgs {
    pub(crate) module: Option<Ident>,
    pub(crate) krate: Krate,
}

/// Which status is the good one.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Polarity {
    Positive,
    Negative,
}

pub(crate) fn parse_set(attrs: &[Attribute], errors: &mut Errors) -> SetArgs {
    let mut set = SetArgs { module: None, krate: Krate::DEFAULT };
    for arg in parse_attrs(attrs, "condition_set", &SET, errors) {
        if arg.key == "mod" {
            set.module = errors.take(arg.path("on").and_then(|path| {
                let help = "write `mod = on`";
                path.get_ident().cloned().ok_or_else(|| mistake(&path, "`mod` takes a plain name", help))
            }));
        } else if let Some(krate) = errors.take(arg.value("::evenkeel").and_then(Krate::parse)) {
            set.krate = krate;
        }
    }
    set
}

/// The polarity of a variant; `None` where the mistake is reported.
pub(crate) fn parse_polarity(variant: &Ident, attrs: &[Attribute], errors: &mut Errors) -> Option<Polarity> {
    let named = attrs.iter().any(|attr| attr.path().is_ident("condition"));
    let args = parse_attrs(attrs, "condition", &CONDITION, errors);
    for arg in &args {
        errors.take(arg.word());
    }
    match args.as_slice() {
        [one] => Some(if one.key == "positive" { Polarity::Positive } else { Polarity::Negative }),
        [_, second, ..] => {
            let headline = format!("condition `{}` is both positive and negative", plain(variant));
            errors.push(&second.key, headline, "keep the one of which True is good, or bad");
            None
        }
        [] => {
            // An unknown word has been reported by now.
            if !named || attrs.iter().any(is_bare) {
                let help = "`#[condition(positive)]` where True is good, `#[condition(negative)]` where True is bad";
                errors.push(variant, format_args!("condition `{}` has no polarity", plain(variant)), help);
            }
            None
        }
    }
}

/// `#[condition]` or `#[condition()]`.
fn is_bare(attr: &Attribute) -> bool {
    attr.path().is_ident("condition") && arguments(attr).is_empty()
}
