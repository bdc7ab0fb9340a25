//! The parsed arguments of `#[watcher]`: its own, those of its step, and those of its reconciler.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, Lit, LitInt, LitStr, Path};

use super::on::{self, On};
use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, Value, parse_args};
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys {
    known: &[
        "conditions",
        "sets",
        "plain",
        "bare",
        "settled",
        "on",
        "labels",
        "fields",
        "leave",
        "undo",
        "previous",
        "cache",
        "retry",
        "tries",
        "requeue",
        "timeout",
        "reads",
        "watches",
        "owns",
        "polls",
        "uses",
        "concurrency",
        "debounce",
        "revision",
        "finalizer",
        "field_manager",
        "previously",
        "request_annotation",
        "suspend",
        "summary",
        "mod",
        "crate",
    ],
    many: &["reads", "watches", "owns", "polls", "uses"],
};

/// The arguments that belong to the step.
const OF_STEP: [&str; 6] = ["sets", "reads", "watches", "owns", "polls", "uses"];

/// All arguments.
#[derive(Default)]
pub(super) struct WatcherArgs {
    pub(super) plain: Option<Ident>,
    pub(super) bare: Option<Ident>,
    pub(super) settled: Option<Ident>,
    pub(super) on: On,
    pub(super) leave: Option<(Ident, Leave)>,
    /// The word of `undo = none`.
    pub(super) no_undo: Option<Ident>,
    /// The word of `previous = none`.
    pub(super) no_previous: Option<Ident>,
    /// The word of `cache`, unless whole objects are cached.
    pub(super) cache: Option<(Ident, Cache)>,
    /// The function of `retry = policy`.
    pub(super) policy: Option<Path>,
    pub(super) tries: Option<LitInt>,
    pub(super) requeue: Option<Ident>,
    /// The key of `finalizer`, and its text if it is one.
    pub(super) finalizer: Option<(Ident, Option<LitStr>)>,
    pub(super) conditions: Option<Ident>,
    pub(super) has_sets: bool,
    pub(super) step: Vec<TokenStream>,
    pub(super) reconciler: Vec<TokenStream>,
    pub(super) module: Option<Ident>,
    pub(super) krate: Krate,
}

/// The part of the objects that is cached, if it is not the whole.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cache {
    /// The metadata, which the methods take.
    Metadata,
    /// The version only: whole objects are read before each call.
    None,
}

/// What becomes of an object that leaves the selection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Leave {
    Detach,
    Delete,
}

pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> WatcherArgs {
    let mut args = WatcherArgs::default();
    for arg in parse_args(tokens, &KEYS, errors) {
        args.take(arg, errors);
    }
    args
}

impl WatcherArgs {
    /// Whether no status is written to the objects, whose type is then `Bare<K>`.
    pub(super) fn has_no_status(&self) -> bool {
        self.plain.is_some() || self.bare.is_some()
    }

    /// Whether this part of the objects is cached.
    pub(super) fn caches(&self, part: Cache) -> bool {
        self.cache.as_ref().is_some_and(|(_, cache)| *cache == part)
    }

    /// Whether `update` takes the object as it was handled last.
    pub(super) fn has_previous(&self) -> bool {
        self.no_previous.is_none() && !(self.has_no_status() && self.caches(Cache::None))
    }

    fn take(&mut self, arg: Arg, errors: &mut Errors) {
        let key = arg.key.to_string();
        if OF_STEP.contains(&key.as_str()) {
            self.has_sets |= key == "sets";
            return self.step.push(arg.into_meta().into_token_stream());
        }
        match key.as_str() {
            "plain" => self.plain = errors.take(arg.keyword()),
            "bare" => self.bare = errors.take(arg.keyword()),
            "settled" => self.settled = errors.take(arg.keyword()),
            "on" => self.on = errors.take(on::parse(&arg)).unwrap_or_default(),
            "leave" => self.leave = errors.take(leave(&arg)).map(|leave| (arg.key, leave)),
            "undo" => self.no_undo = errors.take(none(&arg)),
            "previous" => self.no_previous = errors.take(none(&arg)),
            "cache" => self.cache = errors.take(cache(&arg)).flatten(),
            "tries" => self.tries = errors.take(tries(&arg)),
            "retry" => match &arg.value {
                Value::Is(value) if matches!(**value, Expr::Path(_)) => self.policy = errors.take(arg.path("policy")),
                _ => self.reconciler.push(arg.into_meta().into_token_stream()),
            },
            _ => self.take_of_reconciler(arg, errors),
        }
    }

    fn take_of_reconciler(&mut self, arg: Arg, errors: &mut Errors) {
        match arg.key.to_string().as_str() {
            "requeue" => self.requeue = Some(arg.key.clone()),
            "conditions" => self.conditions = Some(arg.key.clone()),
            "finalizer" => self.finalizer = Some((arg.key.clone(), arg.text("").ok())),
            "mod" => self.module = arg.ident("infos").ok(),
            "crate" => {
                let krate = arg.value("::evenkeel").and_then(Krate::parse);
                return self.krate = errors.take(krate).unwrap_or(Krate::DEFAULT);
            }
            _ => {}
        }
        self.reconciler.push(arg.into_meta().into_token_stream());
    }
}

/// Parses `key = none`.
fn none(arg: &Arg) -> syn::Result<Ident> {
    let (key, value) = (&arg.key, arg.value("none")?);
    match quote!(#value).to_string().as_str() {
        "none" => Ok(key.clone()),
        _ => Err(mistake(value, format_args!("`{key}` takes `none` only"), format_args!("write `{key} = none`"))),
    }
}

/// Parses `cache = none`; `None`: whole objects.
fn cache(arg: &Arg) -> syn::Result<Option<(Ident, Cache)>> {
    let value = arg.value("none")?;
    match quote!(#value).to_string().as_str() {
        "metadata" => Ok(Some((arg.key.clone(), Cache::Metadata))),
        "none" => Ok(Some((arg.key.clone(), Cache::None))),
        "full" => Ok(None),
        other => {
            let help = "write `full`, `metadata`, or `none`, with which each call reads its object";
            Err(mistake(value, format_args!("`cache` cannot be `{other}`"), help))
        }
    }
}

fn leave(arg: &Arg) -> syn::Result<Leave> {
    let text: LitStr = arg.text("\"detach\"")?;
    match text.value().as_str() {
        "detach" => Ok(Leave::Detach),
        "delete" => Ok(Leave::Delete),
        other => {
            let help = "write `\"detach\"`, which undoes nothing, or `\"delete\"`, which calls `delete`";
            Err(mistake(&text, format_args!("`leave` cannot be `{other}`"), help))
        }
    }
}

fn tries(arg: &Arg) -> syn::Result<LitInt> {
    match arg.value("6")? {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => match number.base10_parse::<u32>() {
            Ok(0) => Err(mistake(number, "`tries` is at least 1", "write `tries = 6`")),
            Ok(tries) => Ok(LitInt::new(&tries.to_string(), number.span())),
            Err(_) => Err(mistake(number, "`tries` takes a number of 32 bits", "write `tries = 6`")),
        },
        other => Err(mistake(other, "`tries` takes a number", "write `tries = 6`")),
    }
}
