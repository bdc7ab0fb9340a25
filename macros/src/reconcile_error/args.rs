//! The arguments of `#[class(..)]` on a variant and `#[reconcile_error(crate = ..)]` on the enum.

use std::time::Duration;

use proc_macro2::Ident;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Member};

use super::check;
use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, Value, joined, parse_args, parse_attrs};
use crate::syntax::duration::parse_duration;
use crate::syntax::krate::Krate;
use crate::syntax::meta;
use crate::syntax::reason_literal::check_reason;
use crate::syntax::suggest;

const CLASSES: [&str; 5] = ["stalled", "waiting", "transient", "ignored", "transparent"];
const CLASS: Keys = Keys {
    known: &[
        "stalled",
        "waiting",
        "transient",
        "ignored",
        "transparent",
        "reason",
        "retry",
        "severity",
        "event",
        "log",
        "notify",
    ],
    many: &[],
};
const WAITING: Keys = Keys { known: &["poll"], many: &[] };

/// Pairs of a written word and the variant of the runtime's enum.
type Words = [(&'static str, &'static str)];
const EVENTS: &Words = &[("none", "None"), ("normal", "Normal"), ("warning", "Warning")];
const LOGS: &Words = &[("none", "None"), ("debug", "Debug"), ("info", "Info"), ("warn", "Warn"), ("error", "Error")];

/// The severities, each with the class whose events and log lines have it.
const SEVERITIES: &Words = &[("error", "STALLED"), ("warning", "TRANSIENT"), ("info", "WAITING")];
const RETRIES: &Words = &[("fast", "Fast"), ("slow", "Slow"), ("very-slow", "VerySlow")];

/// A class as written.
#[derive(Clone)]
pub(crate) enum Class {
    Stalled,
    Ignored,
    Transient,
    /// The class and everything else is that of the error in the field.
    Transparent,
    /// A change of the watched object in a field of the variant triggers the reconcile.
    Waiting,
    Polling(Poll),
}

/// The poll time.
#[derive(Clone)]
pub(crate) enum Poll {
    After(Duration),
    /// From a field of the variant: `self.after`, `self.0`.
    Field(Member),
    /// At the next resync of the reconciler.
    Requeue,
}

/// Overrides of the events, logs and notifications of the class; each is a variant of the runtime's enum.
#[derive(Default)]
pub(crate) struct ActionArgs {
    /// The class whose severity is used instead of the variant's own.
    pub(crate) severity: Option<&'static str>,
    pub(crate) event: Option<&'static str>,
    pub(crate) log: Option<&'static str>,
    pub(crate) notify: Option<bool>,
}

/// The arguments of `#[class(..)]`.
pub(crate) struct ClassArgs {
    pub(crate) class: Option<Class>,
    pub(crate) reason: Option<LitStr>,
    /// The retry pace, as a variant of the runtime's enum.
    pub(crate) retry: Option<&'static str>,
    pub(crate) actions: ActionArgs,
}

pub(crate) fn parse_krate(attrs: &[Attribute], errors: &mut Errors) -> Krate {
    meta::read_krate(joined(attrs, "reconcile_error"), errors)
}

/// The class of a variant. `None` if an error is already reported.
pub(crate) fn parse_class(variant: &Ident, attrs: &[Attribute], errors: &mut Errors) -> ClassArgs {
    let before = errors.count();
    let args = parse_attrs(attrs, "class", &CLASS, errors);
    // An unreadable argument may be the class, so its error suffices.
    let readable = errors.count() == before;
    let (classes, mut others): (Vec<&Arg>, Vec<&Arg>) =
        args.iter().partition(|arg| CLASSES.iter().any(|c| arg.key == *c));
    if classes.iter().any(|class| class.key == "transparent") {
        others.drain(..).take(1).for_each(|arg| check::refuse_own_argument(variant, &arg.key, errors));
    }
    let (mut reason, mut retry, mut actions) = (None, None, ActionArgs::default());
    for arg in others {
        match arg.key.to_string().as_str() {
            "reason" => reason = errors.take(arg.text("\"Word\"")),
            "retry" => retry = errors.take(parse_retry(arg, &classes)),
            "severity" => actions.severity = errors.take(parse_word("severity", arg, SEVERITIES)),
            "event" => actions.event = errors.take(parse_word("event", arg, EVENTS)),
            "log" => actions.log = errors.take(parse_word("log level", arg, LOGS)),
            _ => actions.notify = errors.take(parse_notify(arg)),
        }
    }
    if let Some(reason) = &reason {
        check_reason(reason, errors);
    }
    let class = match classes.as_slice() {
        [] => {
            if readable {
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
    ClassArgs { class, reason, retry, actions }
}

fn parse_one(arg: &Arg, errors: &mut Errors) -> Option<Class> {
    if arg.key == "waiting" {
        return parse_waiting(arg, errors);
    }
    errors.take(arg.word())?;
    Some(match arg.key.to_string().as_str() {
        "stalled" => Class::Stalled,
        "ignored" => Class::Ignored,
        "transparent" => Class::Transparent,
        _ => Class::Transient,
    })
}

fn parse_waiting(arg: &Arg, errors: &mut Errors) -> Option<Class> {
    if matches!(arg.value, Value::Word) {
        return Some(Class::Waiting);
    }
    let list = errors.take(arg.list("poll = \"1m\""))?;
    let args = parse_args(list, &WAITING, errors);
    let poll = args.first()?.value("\"1m\"").and_then(parse_poll);
    errors.take(poll).map(Class::Polling)
}

fn parse_poll(value: &Expr) -> syn::Result<Poll> {
    match value {
        Expr::Lit(_) => parse_duration("poll", value).map(Poll::After),
        Expr::Path(path) if path.path.is_ident("requeue") => Ok(Poll::Requeue),
        Expr::Field(field) if matches!(&*field.base, Expr::Path(path) if path.path.is_ident("self")) => {
            Ok(Poll::Field(field.member.clone()))
        }
        other => Err(mistake(
            other,
            "`poll` takes a duration, a field of the variant, or `requeue`",
            "write `poll = \"1m\"`, `poll = self.after` or `poll = requeue`",
        )),
    }
}

fn parse_word(what: &str, arg: &Arg, words: &Words) -> syn::Result<&'static str> {
    let text = arg.text("\"none\"")?;
    let value = text.value();
    let known: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    let found = words.iter().find(|(word, _)| *word == value).map(|(_, variant)| *variant);
    found.ok_or_else(|| mistake(&text, format_args!("unknown {what} `{value}`"), suggest::help(&value, &known)))
}

/// Only an error that is retried has a pace.
fn parse_retry(arg: &Arg, classes: &[&Arg]) -> syn::Result<&'static str> {
    let retry = match arg.text("\"fast\"") {
        Ok(text) if text.value() == "none" => {
            let help = "use `#[class(stalled)]` to retry only after a change of the object";
            return Err(mistake(&text, "a transient error is retried forever", help));
        }
        _ => parse_word("retry", arg, RETRIES)?,
    };
    match classes.first().map(|class| class.key.to_string()) {
        Some(class) if class == "waiting" => {
            let help = "use `waiting(poll = \"1m\")` to check again after an interval";
            Err(mistake(&arg.key, "an error of class `waiting` is not retried", help))
        }
        Some(class) if class != "transient" => {
            let help = "leave out `retry`, or write `#[class(transient, ..)]`";
            Err(mistake(&arg.key, format_args!("an error of class `{class}` is not retried"), help))
        }
        _ => Ok(retry),
    }
}

fn parse_notify(arg: &Arg) -> syn::Result<bool> {
    match arg.value("false")? {
        Expr::Lit(ExprLit { lit: Lit::Bool(flag), .. }) => Ok(flag.value),
        other => Err(mistake(other, "`notify` takes `true` or `false`", "write `notify = false`")),
    }
}
