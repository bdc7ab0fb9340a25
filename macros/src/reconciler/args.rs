//! The parsed arguments of `#[reconciler]`.

use proc_macro2::{Ident, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, LitInt, LitStr, Path, Token};

use super::check_argument;
use super::depend::{self, Dependencies};
use super::policy::{self, Policies};
use super::suspend::{self, Suspend};
use super::time::{self, Times};
use super::triggers::{self, Triggers};
use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, parse_args};
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys {
    known: &[
        "conditions",
        "requeue",
        "retry",
        "timeout",
        "concurrency",
        "revision",
        "finalizer",
        "field_manager",
        "previously",
        "request_annotation",
        "triggers",
        "suspend",
        "policies",
        "observe",
        "claim",
        "hooks",
        "depends_on",
        "on_end",
        "mod",
        "summary",
        "crate",
    ],
    many: &[],
};
const PREVIOUSLY: Keys = Keys { known: &["field_managers", "finalizers"], many: &[] };

#[derive(Default)]
pub(crate) struct ReconcilerArgs {
    pub(crate) conditions: Option<Path>,
    pub(crate) times: Times,
    /// The number of objects that are reconciled concurrently.
    pub(crate) concurrency: Option<LitInt>,
    pub(crate) revision: u32,
    pub(crate) finalizer: Option<LitStr>,
    pub(crate) field_manager: Option<LitStr>,
    pub(crate) request_annotation: Option<LitStr>,
    pub(crate) triggers: Option<Triggers>,
    pub(crate) suspend: Option<Suspend>,
    pub(crate) policies: Option<Policies>,
    /// The observer, which runs if a policy forbids changes; for a struct, the path of its marker.
    pub(crate) observe: Option<Path>,
    /// Whether an error in `observe` is already reported.
    pub(crate) wrong_observe: bool,
    /// The claim, which prepares an object before its finalizer is stored; for a struct, the path of its marker.
    pub(crate) claim: Option<Path>,
    /// The hooks, which run at points in the life of an object; for a struct, the paths of the markers.
    pub(crate) hooks: Vec<Path>,
    pub(crate) depends_on: Option<Dependencies>,
    pub(crate) on_end: Option<Path>,
    pub(crate) managers: Vec<LitStr>,
    pub(crate) finalizers: Vec<LitStr>,
    /// The type of the summary condition that replaces Ready.
    pub(crate) summary: Option<LitStr>,
    /// The module of the markers of a struct's methods.
    pub(crate) module: Option<Ident>,
    pub(crate) krate: Krate,
    /// Whether `conditions` was given, even if it is invalid or misspelt.
    pub(crate) says_conditions: bool,
}

pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> ReconcilerArgs {
    let mut args = ReconcilerArgs::default();
    let list = parse_args(tokens, &KEYS, errors);
    args.says_conditions = errors.count() > 0 || list.iter().any(|arg| arg.key == "conditions");
    for arg in list {
        args.take(&arg, errors);
    }
    args
}

impl ReconcilerArgs {
    fn take(&mut self, arg: &Arg, errors: &mut Errors) {
        match arg.key.to_string().as_str() {
            "conditions" => {
                let path = errors.take(arg.path("RepoCondition"));
                self.conditions = path.or_else(|| arg.text("").ok()?.parse().ok());
            }
            "requeue" => self.times.requeue = errors.take(time::parse(arg)),
            "retry" => self.times.retry = errors.take(time::parse(arg)),
            "timeout" => self.times.timeout = errors.take(time::parse(arg)),
            "concurrency" => self.concurrency = errors.take(concurrency(arg)),
            "revision" => self.revision = errors.take(revision(arg)).unwrap_or_default(),
            "finalizer" => {
                self.finalizer = errors.take(arg.text("\"example.com/cleanup\"").and_then(check_argument::finalizer));
            }
            "field_manager" => {
                self.field_manager =
                    errors.take(arg.text("\"source-controller\"").and_then(check_argument::field_manager));
            }
            "triggers" => self.triggers = triggers::parse(arg, errors),
            "suspend" => self.suspend = suspend::parse(arg, errors),
            "policies" => self.policies = policy::parse(arg, errors),
            "observe" => {
                self.observe = errors.take(arg.path("look"));
                self.wrong_observe = self.observe.is_none();
            }
            "claim" => self.claim = errors.take(arg.path("name_it")),
            "hooks" => self.hooks = errors.take(arg.paths("say_goodbye")).unwrap_or_default(),
            "depends_on" => self.depends_on = errors.take(depend::parse(arg)),
            "on_end" => self.on_end = errors.take(arg.path("report")),
            "request_annotation" => {
                let text = arg.text("\"reconcile.example.com/requestedAt\"");
                self.request_annotation = errors.take(text.and_then(check_argument::annotation));
            }
            "summary" => self.summary = errors.take(arg.text("\"BackupReady\"").and_then(check_argument::summary)),
            "mod" => self.module = errors.take(arg.ident("repos")),
            "previously" => self.previously(arg, errors),
            _ => self.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(Krate::DEFAULT),
        }
    }

    fn previously(&mut self, arg: &Arg, errors: &mut Errors) {
        let Some(list) = errors.take(arg.list("field_managers(\"x\"), finalizers(\"example.com/x\")")) else { return };
        for arg in parse_args(list, &PREVIOUSLY, errors) {
            let managers = arg.key == "field_managers";
            let Some(texts) = errors.take(texts(&arg)) else { continue };
            let checked =
                texts.into_iter().map(if managers { check_argument::field_manager } else { check_argument::finalizer });
            let checked: Vec<_> = checked.filter_map(|text| errors.take(text)).collect();
            if managers { self.managers = checked } else { self.finalizers = checked }
        }
    }
}

fn concurrency(arg: &Arg) -> syn::Result<LitInt> {
    match arg.value("16")? {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => check_argument::concurrency(number.clone()),
        other => Err(mistake(other, "`concurrency` takes a number", "write `concurrency = 16`")),
    }
}

fn revision(arg: &Arg) -> syn::Result<u32> {
    let value = arg.value("2")?;
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number
            .base10_parse()
            .map_err(|_| mistake(number, "`revision` takes a number of 32 bits", "write `revision = 2`")),
        other => Err(mistake(other, "`revision` takes a number", "write `revision = 2`")),
    }
}

fn texts(arg: &Arg) -> syn::Result<Vec<LitStr>> {
    let list = arg.list("\"..\"")?;
    let other = |_| {
        let key = &arg.key;
        mistake(&list, format_args!("`{key}` takes strings"), format_args!("write `{key}(\"..\")`"))
    };
    let texts = Punctuated::<LitStr, Token![,]>::parse_terminated.parse2(list.clone()).map_err(other)?;
    Ok(texts.into_iter().collect())
}
