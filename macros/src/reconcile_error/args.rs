//! `#[class(..)]` on a variant, `#[reconcile_error(crate = ..)]` on the enum.

use std::time::Duration;

use proc_macro2::Ident;
use syn::{Attribute, LitStr};

use super::check;
use crate::errors::Errors;
use crate::syntax::args::{Arg, Keys, Value, arguments, parse_args, parse_attrs};
use crate::syntax::duration::parse_duration;
use crate::syntax::krate::Krate;
use crate::syntax::reason::check_reason;

const CLASSES: [&str; 4] = ["stalled", "waiting", "transient", "ignored"];
const CLASS: Keys = Keys { known: &["stalled", "waiting", "transient", "ignored", "reason"], many: &[] };
const WAITING: Keys = Keys { known: &["poll"], many: &[] };
const ERROR: Keys = Keys { known: &["crate"], many: &[] };

/// A class as written.
#[derive(Clone, Copy)]
pub(crate) enum Class {
    Stalled,
    Ignored,
    Transient,
    /// Woken by what the variant holds.
    Waiting,
    Polling(Duration),
}

/// What `#[class(..)]` says.
pub(crate) struct ClassArgs {
    pub(crate) class: Option<Class>,
    pub(crate) reason: Option<LitStr>,
}

pub(crate) fn parse_krate(attrs: &[Attribute], errors: &mut Errors) -> Krate {
    let mut krate = None;
    for arg in parse_attrs(attrs, "reconcile_error", &ERROR, errors) {
        krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse));
    }
    krate.unwrap_or(Krate::DEFAULT)
}

/// The class of a variant; `None` where the mistake is reported.
pub(crate) fn parse_class(variant: &Ident, attrs: &[Attribute], errors: &mut Errors) -> ClassArgs {
    let args = parse_attrs(attrs, "class", &CLASS, errors);
    let (classes, reasons): (Vec<&Arg>, Vec<&Arg>) = args.iter().partition(|arg| CLASSES.iter().any(|c| arg.key == *c));
    let reason = reasons.first().and_then(|arg| errors.take(arg.text("\"Word\"")));
    if let Some(reason) = &reason {
        check_reason(reason, errors);
    }
    let class = match classes.as_slice() {
        [] => {
            if !attrs.iter().any(|attr| is_class(attr) && names_something(attr)) {
                check::refuse_no_class(variant, errors);
            }
            None
        }
        [one] => parse_one(one, errors),
        [_, second, ..] => {
            check::refuse_two_classes(variant, &second.key, errors);
            None
        }
    };
    ClassArgs { class, reason }
}

fn parse_one(arg: &Arg, errors: &mut Errors) -> Option<Class> {
    if arg.key == "waiting" {
        return parse_waiting(arg, errors);
    }
    errors.take(arg.word())?;
    Some(match arg.key.to_string().as_str() {
        "stalled" => Class::Stalled,
        "ignored" => Class::Ignored,
        _ => Class::Transient,
    })
}

fn parse_waiting(arg: &Arg, errors: &mut Errors) -> Option<Class> {
    if matches!(arg.value, Value::Word) {
        return Some(Class::Waiting);
    }
    let list = errors.take(arg.list("poll = \"1m\""))?;
    let args = parse_args(list, &WAITING, errors);
    let poll = args.first()?;
    let duration = poll.value("\"1m\"").and_then(|value| parse_duration("poll", value));
    errors.take(duration).map(Class::Polling)
}

fn is_class(attr: &Attribute) -> bool {
    attr.path().is_ident("class")
}

/// Whether the attribute has a word other than `reason`: where that was wrong, it is reported already.
fn names_something(attr: &Attribute) -> bool {
    let first = arguments(attr).into_iter().next();
    first.is_some_and(|token| token.to_string() != "reason")
}
