//! The parsed arguments of `#[reconciler]`.

use std::time::Duration;

use darling::FromMeta;
use proc_macro2::{Ident, TokenStream};
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, LitInt, LitStr, Path, Token};

use super::bare_status::{self, BareStatus};
use super::check_argument;
use super::depend::{self, Dependencies};
use super::policy::{self, Policies};
use super::suspend::{self, Suspend};
use super::time::Times;
use super::triggers::{self, Triggers};
use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, parse_args};
use crate::syntax::duration::parse_duration;
use crate::syntax::krate::Krate;
use crate::syntax::meta::{self, some, value};
use crate::syntax::names::function_name;

const KEYS: Keys = Keys {
    known: &[
        "conditions",
        "requeue",
        "retry",
        "timeout",
        "concurrency",
        "debounce",
        "revision",
        "finalizer",
        "field_manager",
        "previously",
        "request_annotation",
        "bare_status",
        "triggers",
        "suspend",
        "policies",
        "observe",
        "claim",
        "hooks",
        "daemons",
        "depends_on",
        "labels",
        "fields",
        "filter",
        "on_end",
        "mod",
        "summary",
        "crate",
    ],
    many: &[],
};
const PREVIOUSLY: Keys = Keys { known: &["field_managers", "finalizers", "reconcilers"], many: &[] };

#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct ReconcilerArgs {
    #[darling(with = |meta| some(meta, |arg| arg.path("RepoCondition")))]
    pub(crate) conditions: Option<Path>,
    #[darling(flatten)]
    pub(crate) times: Times,
    /// The number of objects that are reconciled concurrently.
    #[darling(with = |meta| some(meta, parse_concurrency))]
    pub(crate) concurrency: Option<LitInt>,
    /// How long a change waits for further ones.
    #[darling(with = |meta| some(meta, |arg| parse_duration("debounce", arg.value("\"2s\"")?)))]
    pub(crate) debounce: Option<Duration>,
    #[darling(with = |meta| value(meta, parse_revision))]
    pub(crate) revision: u32,
    #[darling(with = |meta| some(meta, |arg| check_argument::finalizer(arg.text("\"example.com/cleanup\"")?)))]
    pub(crate) finalizer: Option<LitStr>,
    #[darling(with = |meta| some(meta, |arg| check_argument::field_manager(arg.text("\"source-controller\"")?)))]
    pub(crate) field_manager: Option<LitStr>,
    #[darling(with = |meta| some(meta, parse_annotation))]
    pub(crate) request_annotation: Option<LitStr>,
    #[darling(with = |meta| some(meta, bare_status::parse))]
    pub(crate) bare_status: Option<BareStatus>,
    #[darling(with = |meta| some(meta, triggers::parse))]
    pub(crate) triggers: Option<Triggers>,
    #[darling(with = |meta| some(meta, suspend::parse))]
    pub(crate) suspend: Option<Suspend>,
    #[darling(with = |meta| some(meta, policy::parse))]
    pub(crate) policies: Option<Policies>,
    /// The observer, which runs if a policy forbids changes; for a struct, the path of its marker.
    #[darling(with = |meta| some(meta, |arg| arg.path("look")))]
    pub(crate) observe: Option<Path>,
    /// The claim, which prepares an object before its finalizer is stored; for a struct, the path of its marker.
    #[darling(with = |meta| some(meta, |arg| arg.path("name_it")))]
    pub(crate) claim: Option<Path>,
    /// The hooks, which run at points in the life of an object; for a struct, the paths of the markers.
    #[darling(with = |meta| value(meta, |arg| arg.paths("say_goodbye")))]
    pub(crate) hooks: Vec<Path>,
    /// The daemons, which run independently of the passes of an object; for a struct, the paths of the markers.
    #[darling(with = |meta| value(meta, |arg| arg.paths("follow")))]
    pub(crate) daemons: Vec<Path>,
    #[darling(with = |meta| some(meta, depend::parse))]
    pub(crate) depends_on: Option<Dependencies>,
    /// The label selector of the reconciled objects.
    #[darling(with = |meta| some(meta, |arg| check_argument::labels(arg.text("\"app=web\"")?)))]
    pub(crate) labels: Option<LitStr>,
    /// The field selector of the reconciled objects.
    #[darling(with = |meta| some(meta, |arg| check_argument::fields(arg.text("\"status.phase=Running\"")?)))]
    pub(crate) fields: Option<LitStr>,
    /// The function that selects the reconciled objects.
    #[darling(with = |meta| some(meta, |arg| arg.path("is_mine")))]
    pub(crate) filter: Option<Path>,
    #[darling(with = |meta| some(meta, |arg| arg.path("report")))]
    pub(crate) on_end: Option<Path>,
    #[darling(with = |meta| value(meta, parse_previously))]
    pub(crate) previously: Previously,
    /// The type of the summary condition that replaces Ready.
    #[darling(with = |meta| some(meta, |arg| check_argument::summary(arg.text("\"BackupReady\"")?)))]
    pub(crate) summary: Option<LitStr>,
    /// The module of the markers of a struct's methods.
    #[darling(rename = "mod", with = |meta| some(meta, |arg| arg.ident("repos")))]
    pub(crate) module: Option<Ident>,
    #[darling(rename = "crate")]
    pub(crate) krate: Krate,
    /// Whether `conditions` was given, even if it is invalid or misspelt.
    #[darling(skip)]
    pub(crate) has_conditions: bool,
    /// The declarations of a watcher, as tokens.
    #[darling(skip)]
    pub(crate) watcher: Option<TokenStream>,
    /// Whether an error in `policies` or `observe` is already reported.
    #[darling(skip)]
    pub(crate) wrong_policies: bool,
}

/// The names of earlier releases.
#[derive(Default, FromMeta)]
#[darling(default)]
pub(crate) struct Previously {
    #[darling(with = |meta| value(meta, |arg| texts(arg, check_argument::field_manager)))]
    pub(crate) field_managers: Vec<LitStr>,
    #[darling(with = |meta| value(meta, |arg| texts(arg, check_argument::finalizer)))]
    pub(crate) finalizers: Vec<LitStr>,
    /// The names of the function.
    #[darling(with = |meta| value(meta, |arg| texts(arg, |text| function_name(text, "reconcilers"))))]
    pub(crate) reconcilers: Vec<LitStr>,
}

pub(crate) fn parse(tokens: TokenStream, errors: &mut Errors) -> ReconcilerArgs {
    let list = parse_args(tokens, &KEYS, errors);
    let has_conditions = errors.count() > 0 || list.iter().any(|arg| arg.key == "conditions");
    let gives = |key: &str| list.iter().any(|arg| arg.key == key);
    let (policies, observe) = (gives("policies"), gives("observe"));
    let text = list.iter().find(|arg| arg.key == "conditions").and_then(|arg| arg.text("").ok()?.parse().ok());
    let args: ReconcilerArgs = meta::fill(list, errors);
    let wrong_policies = policies && args.policies.is_none() || observe && args.observe.is_none();
    ReconcilerArgs { conditions: args.conditions.or(text), has_conditions, wrong_policies, ..args }
}

fn parse_previously(arg: &Arg) -> syn::Result<Previously> {
    meta::nested(arg, "field_managers(\"x\"), finalizers(\"example.com/x\")", &PREVIOUSLY, |_, _| {})
}

fn parse_annotation(arg: &Arg) -> syn::Result<LitStr> {
    check_argument::annotation(arg.text("\"reconcile.example.com/requestedAt\"")?)
}

fn parse_concurrency(arg: &Arg) -> syn::Result<LitInt> {
    match arg.value("16")? {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => check_argument::concurrency(number.clone()),
        other => Err(mistake(other, "`concurrency` takes a number", "write `concurrency = 16`")),
    }
}

fn parse_revision(arg: &Arg) -> syn::Result<u32> {
    let value = arg.value("2")?;
    match value {
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number
            .base10_parse()
            .map_err(|_| mistake(number, "`revision` takes a number of 32 bits", "write `revision = 2`")),
        other => Err(mistake(other, "`revision` takes a number", "write `revision = 2`")),
    }
}

fn texts(arg: &Arg, check: fn(LitStr) -> syn::Result<LitStr>) -> syn::Result<Vec<LitStr>> {
    let mut errors = Errors::default();
    let (key, list) = (&arg.key, arg.list("\"..\"")?);
    let other = |_| mistake(&list, format_args!("`{key}` takes strings"), format_args!("write `{key}(\"..\")`"));
    let list = Punctuated::<LitStr, Token![,]>::parse_terminated.parse2(list.clone()).map_err(other)?;
    let texts = list.into_iter().filter_map(|text| errors.take(check(text))).collect();
    errors.into_result().map(|()| texts)
}
