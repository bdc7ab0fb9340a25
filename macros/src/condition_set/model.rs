//! The validated set: names, polarities and doc comments.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::{Attribute, Data, DeriveInput, Fields, Variant, Visibility, parse_quote};

use super::args::{ConditionArgs, Polarity, ReasonArgs, SummaryArgs, parse_condition, parse_set};
use super::check::{self, Declared};
use crate::errors::Errors;
use crate::syntax::docs;
use crate::syntax::krate::Krate;
use crate::syntax::names::{plain, snake};

pub(crate) struct Set {
    pub(crate) krate: Krate,
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    /// The same visibility, relative to the module of the markers.
    pub(crate) inner: Visibility,
    pub(crate) module: Ident,
    pub(crate) conditions: Vec<Condition>,
    pub(crate) summaries: Vec<Summary>,
}

/// A further summary.
pub(crate) struct Summary {
    pub(crate) name: String,
    /// The places of its member conditions.
    pub(crate) places: Vec<usize>,
    pub(crate) doc: String,
}

/// A declared reason.
pub(crate) struct Reason {
    pub(crate) name: String,
    pub(crate) doc: String,
}

pub(crate) struct Condition {
    pub(crate) ident: Ident,
    /// The name in JSON.
    pub(crate) name: String,
    pub(crate) polarity: Polarity,
    /// The closed set of its reasons; empty if every reason is allowed.
    pub(crate) reasons: Vec<Reason>,
    /// The doc attributes, for the marker.
    pub(crate) docs: TokenStream,
    /// The doc text.
    pub(crate) doc: String,
    /// Its place in the declared order.
    pub(crate) place: Place,
}

/// The form in which the place of a condition is generated.
pub(crate) enum Place {
    /// As the discriminant of its variant, which then counts as used.
    Variant,
    /// As a number, if the variant has fields.
    Number(usize),
}

/// Parses the set. An invalid condition gets a default, so that its users report no second error.
pub(crate) fn read(input: &DeriveInput, errors: &mut Errors) -> Option<Set> {
    let args = parse_set(&input.attrs, errors);
    let Data::Enum(data) = &input.data else {
        check::refuse_no_enum(input, errors);
        return None;
    };
    check::check_generics(input, errors);
    check::check_count(input, data, errors);
    let module =
        args.module.unwrap_or_else(|| format_ident!("{}", snake(&plain(&input.ident)), span = input.ident.span()));
    let mut conditions: Vec<Condition> = Vec::new();
    for (i, variant) in data.variants.iter().take(check::MOST).enumerate() {
        check::check_variant(variant, errors);
        let args = parse_condition(&variant.ident, &variant.attrs, errors);
        check::check_reasons(&args.reasons, errors);
        let plain_variant = matches!(variant.fields, Fields::Unit) && variant.discriminant.is_none();
        let place = if plain_variant { Place::Variant } else { Place::Number(i) };
        // rustc already reports two variants with the same name.
        if conditions.iter().all(|earlier| earlier.ident != variant.ident) {
            conditions.push(condition(variant, &args, place));
        }
    }
    let declared: Vec<Declared<'_>> =
        conditions.iter().map(|condition| Declared { name: &condition.name, polarity: condition.polarity }).collect();
    check::check_positive(input, &declared, errors);
    let declared_summaries: Vec<SummaryArgs> = args.summaries.into_iter().flatten().collect();
    check::check_summaries(&declared_summaries, &declared, errors);
    let summaries = declared_summaries.iter().map(|summary| sum_up(summary, &conditions)).collect();
    let (vis, inner) = (input.vis.clone(), one_deeper(&input.vis));
    Some(Set { krate: args.krate.short(), ident: input.ident.clone(), vis, inner, module, conditions, summaries })
}

fn sum_up(args: &SummaryArgs, conditions: &[Condition]) -> Summary {
    // In declared order, which breaks ties within a rank.
    let is_member = |condition: &Condition| args.members.iter().any(|member| plain(member) == condition.name);
    let places: Vec<usize> = (0..conditions.len()).filter(|place| is_member(&conditions[*place])).collect();
    let names: Vec<&str> = places.iter().map(|place| conditions[*place].name.as_str()).collect();
    Summary { name: plain(&args.target), doc: format!("The summary of {}.", names.join(", ")), places }
}

/// The visibility relative to a module one level deeper.
fn one_deeper(vis: &Visibility) -> Visibility {
    let Visibility::Restricted(restricted) = vis else {
        return match vis {
            Visibility::Inherited => parse_quote!(pub(super)),
            other => other.clone(),
        };
    };
    let path = &restricted.path;
    match path.segments.first().map(|segment| segment.ident.to_string()).as_deref() {
        Some("self") => parse_quote!(pub(super)),
        Some("super") => parse_quote!(pub(in super::#path)),
        _ => vis.clone(),
    }
}

fn condition(variant: &Variant, args: &ConditionArgs, place: Place) -> Condition {
    let Variant { ident, attrs, .. } = variant;
    let polarity = args.polarity.unwrap_or(Polarity::Positive);
    let reasons = args.reasons.iter().map(reason).collect();
    let (docs, doc) = (kept(attrs), docs::text(attrs));
    Condition { ident: ident.clone(), name: plain(ident), polarity, reasons, docs, doc, place }
}

fn reason(args: &ReasonArgs) -> Reason {
    Reason { name: plain(&args.name), doc: args.doc.as_ref().map(syn::LitStr::value).unwrap_or_default() }
}

fn kept(attrs: &[Attribute]) -> TokenStream {
    let docs = attrs.iter().filter(|attr| attr.path().is_ident("doc"));
    quote!(#(#docs)*)
}
