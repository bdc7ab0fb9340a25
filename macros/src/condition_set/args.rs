//! The arguments of `#[condition_set(..)]` on the enum and `#[condition(..)]` on a variant.

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, LitStr, Token, parenthesized};

use crate::errors::{Errors, mistake, mistake_at};
use crate::syntax::args::{Arg, Keys, arguments, joined, parse_attrs};
use crate::syntax::krate::Krate;
use crate::syntax::meta::{self, some, value};
use crate::syntax::names::{camel, plain};

const SET: Keys = Keys { known: &["mod", "summary", "crate"], many: &["summary"] };
const CONDITION: Keys = Keys { known: &["positive", "negative", "bipolar", "reasons"], many: &[] };

/// The arguments of `#[condition_set(..)]`.
#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct SetArgs {
    #[darling(rename = "mod", with = |meta| some(meta, |arg| arg.ident("on")))]
    pub(crate) module: Option<Ident>,
    #[darling(rename = "summary", multiple, with = |meta| value(meta, parse_summaries))]
    pub(crate) summaries: Vec<Vec<SummaryArgs>>,
    #[darling(rename = "crate")]
    pub(crate) krate: Krate,
}

/// A further summary, such as `Available(SourceFetched, ArtifactStored)`.
pub(crate) struct SummaryArgs {
    pub(crate) target: Ident,
    pub(crate) members: Vec<Ident>,
}

/// The polarity: which status is the good one.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Polarity {
    Positive,
    Negative,
    Bipolar,
}

/// The arguments of `#[condition(..)]`.
pub(crate) struct ConditionArgs {
    /// `None` if the error is already reported.
    pub(crate) polarity: Option<Polarity>,
    pub(crate) reasons: Vec<ReasonArgs>,
}

/// A reason, such as `NewRevision` or `NewRevision = "A newer revision exists"`.
pub(crate) struct ReasonArgs {
    pub(crate) name: Ident,
    pub(crate) doc: Option<LitStr>,
}

pub(crate) fn parse_set(attrs: &[Attribute], errors: &mut Errors) -> SetArgs {
    meta::read(joined(attrs, "condition_set"), &SET, errors)
}

fn parse_summaries(arg: &Arg) -> syn::Result<Vec<SummaryArgs>> {
    let example = "Available(Fetched, Stored)";
    let list = arg.list(example)?;
    let headline = "`summary` takes a new condition and, in parentheses, the conditions that it sums up";
    let summaries = Punctuated::<SummaryArgs, Token![,]>::parse_terminated_with;
    let parser = |input: ParseStream| summaries(input, parse_summary);
    let parsed =
        parser.parse2(list.clone()).map_err(|_| mistake(list, headline, format!("write `summary({example})`")));
    Ok(parsed?.into_iter().collect())
}

fn parse_summary(input: ParseStream) -> syn::Result<SummaryArgs> {
    let target = input.call(Ident::parse_any)?;
    let content;
    parenthesized!(content in input);
    let members = Punctuated::<Ident, Token![,]>::parse_terminated_with(&content, Ident::parse_any)?;
    if members.is_empty() {
        return Err(content.error("none"));
    }
    Ok(SummaryArgs { target, members: members.into_iter().collect() })
}

pub(crate) fn parse_condition(variant: &Ident, attrs: &[Attribute], errors: &mut Errors) -> ConditionArgs {
    let named = attrs.iter().any(|attr| attr.path().is_ident("condition"));
    let before = errors.count();
    let args = parse_attrs(attrs, "condition", &CONDITION, errors);
    let (lists, words): (Vec<&Arg>, Vec<&Arg>) = args.iter().partition(|arg| arg.key == "reasons");
    let reasons = lists.first().and_then(|arg| errors.take(parse_reasons(arg))).unwrap_or_default();
    for arg in &words {
        errors.take(arg.word());
    }
    // An unknown word is already reported.
    let is_silent = !named || attrs.iter().any(is_bare) || errors.count() == before;
    ConditionArgs { polarity: parse_polarity(variant, &words, is_silent, errors), reasons }
}

fn parse_polarity(variant: &Ident, words: &[&Arg], is_silent: bool, errors: &mut Errors) -> Option<Polarity> {
    match words {
        [one] if one.key == "positive" => Some(Polarity::Positive),
        [one] if one.key == "negative" => Some(Polarity::Negative),
        [_] => Some(Polarity::Bipolar),
        [first, second, ..] => {
            let headline = format!("condition `{}` is both {} and {}", plain(variant), first.key, second.key);
            let help = match [first, second].iter().any(|arg| arg.key == "bipolar") {
                true => "keep one of them: with `bipolar`, True is good, False is bad, and absent is neutral",
                false => "keep `positive` if True is good, or `negative` if True is bad",
            };
            errors.push(&second.key, headline, help);
            None
        }
        [] => {
            if is_silent {
                let help = "`#[condition(positive)]` if True is good, `#[condition(negative)]` if True is bad";
                errors.push(variant, format_args!("condition `{}` has no polarity", plain(variant)), help);
            }
            None
        }
    }
}

fn parse_reasons(arg: &Arg) -> syn::Result<Vec<ReasonArgs>> {
    let list = arg.list("NewRevision, Corrupt")?;
    let parser = |input: ParseStream| {
        Ok(match Punctuated::<ReasonArgs, Token![,]>::parse_terminated_with(input, parse_reason) {
            Ok(reasons) => Ok(reasons.into_iter().collect()),
            Err(error) => {
                let _: TokenStream = input.parse()?;
                Err(error)
            }
        })
    };
    parser.parse2(list)?
}

fn parse_reason(input: ParseStream) -> syn::Result<ReasonArgs> {
    if input.peek(LitStr) {
        let text: LitStr = input.parse()?;
        let headline = format!("a reason is a word, not the text `{}`", text.value());
        return Err(mistake(&text, headline, format_args!("write `{}`", camel(&text.value()))));
    }
    let Ok(name) = input.call(Ident::parse_any) else {
        let rest: TokenStream = input.parse()?;
        return Err(mistake(rest, "a reason is a word", "write `reasons(NewRevision, Corrupt)`"));
    };
    if input.peek(Ident::peek_any) {
        let second = input.call(Ident::parse_any)?;
        let headline = format!("Kubernetes rejects the reason `{name} {second}`");
        return Err(mistake(
            &second,
            headline,
            format_args!("write `{name}{second}` as one word, or a comma between two"),
        ));
    }
    let doc = match input.peek(Token![=]) {
        true => {
            input.parse::<Token![=]>()?;
            let (headline, help) = (format!("the text of `{name}` is a string"), format!("write `{name} = \"..\"`"));
            Some(input.parse().map_err(|error: syn::Error| mistake_at(error.span(), headline, help))?)
        }
        false => None,
    };
    if !input.is_empty() && !input.peek(Token![,]) {
        let headline = format!("this does not belong to the reason `{name}`");
        return Err(mistake_at(input.span(), headline, "separate reasons by commas"));
    }
    Ok(ReasonArgs { name, doc })
}

/// Whether the attribute is `#[condition]` or `#[condition()]`.
fn is_bare(attr: &Attribute) -> bool {
    attr.path().is_ident("condition") && arguments(attr).is_empty()
}
