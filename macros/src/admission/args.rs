//! The parsed arguments of `#[validate]` and `#[mutate]`.

use std::time::Duration;

use proc_macro2::Ident;
use syn::{LitStr, Path};

use crate::errors::{Errors, mistake};
use crate::sub_reconciler::parse_relation;
use crate::sub_reconciler::relation::Watch;
use crate::syntax::args::{Arg, Keys, parse_args};
use crate::syntax::duration::parse_duration;
use crate::syntax::krate::Krate;
use crate::syntax::names::is_selector;
use crate::syntax::suggest;

const KEYS: Keys = Keys {
    known: &[
        "on",
        "failure",
        "timeout",
        "when",
        "objects",
        "namespaces",
        "unchanged",
        "subresource",
        "reads",
        "watches",
        "anyway",
        "crate",
    ],
    many: &["reads", "watches"],
};

/// All declarations of a review.
#[derive(Default)]
pub(super) struct AdmissionArgs {
    /// The words of `on(..)`; `None`: unless given.
    pub(super) on: Option<Vec<Ident>>,
    /// Whether a failure lets the write through.
    pub(super) ignores: bool,
    pub(super) timeout: Option<Duration>,
    pub(super) when: Option<LitStr>,
    pub(super) objects: Option<LitStr>,
    pub(super) namespaces: Option<LitStr>,
    pub(super) subresource: Option<LitStr>,
    pub(super) unchanged: Option<Ident>,
    pub(super) anyway: Option<Ident>,
    pub(super) reads: Vec<Path>,
    pub(super) watches: Vec<Watch>,
    /// The kinds in rejected arguments, which count as used.
    pub(super) refused: Vec<Path>,
    pub(super) krate: Krate,
}

pub(super) fn parse(tokens: proc_macro2::TokenStream, errors: &mut Errors) -> AdmissionArgs {
    let mut args = AdmissionArgs::default();
    for arg in parse_args(tokens, &KEYS, errors) {
        args.take(&arg, errors);
    }
    args
}

impl AdmissionArgs {
    fn take(&mut self, arg: &Arg, errors: &mut Errors) {
        match arg.key.to_string().as_str() {
            "on" => self.on = errors.take(arg.paths("create, update")).map(|words| operations(words, errors)),
            "failure" => self.ignores = errors.take(failure(arg)).unwrap_or_default(),
            "timeout" => self.timeout = errors.take(timeout(arg)),
            "when" => self.when = errors.take(filled(arg, "\"object.spec.paused != true\"")),
            "objects" => self.objects = errors.take(selector(arg)),
            "namespaces" => self.namespaces = errors.take(selector(arg)),
            "subresource" => self.subresource = errors.take(subresource(arg)),
            "unchanged" => self.unchanged = errors.take(arg.keyword()),
            "anyway" => self.anyway = errors.take(arg.keyword()),
            "reads" => self.reads.extend(errors.take(arg.paths("Team")).unwrap_or_default()),
            "watches" => match parse_relation::watch(arg) {
                Ok(watch) => self.watches.push(watch),
                Err(error) => {
                    self.refused.extend(parse_relation::paths(arg));
                    errors.add(error);
                }
            },
            _ => self.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(Krate::DEFAULT),
        }
    }
}

/// The operations of `on(..)`, each once.
fn operations(words: Vec<Path>, errors: &mut Errors) -> Vec<Ident> {
    let mut found: Vec<Ident> = Vec::new();
    for path in words {
        match errors.take(operation(&path)) {
            Some(word) if found.contains(&word) => {
                errors.push(&word, format_args!("`{word}` is given twice"), "keep one of them");
            }
            Some(word) => found.push(word),
            None => {}
        }
    }
    found
}

fn operation(path: &Path) -> syn::Result<Ident> {
    let word = path.get_ident().map(ToString::to_string).unwrap_or_default();
    match (word.as_str(), path.get_ident()) {
        ("create" | "update" | "delete", Some(word)) => Ok(word.clone()),
        ("connect", _) => {
            let help = "use `create`, `update` or `delete`; RBAC decides who may connect to a pod";
            Err(mistake(path, "`connect` has no object to review", help))
        }
        (word, _) => {
            let help = suggest::help(word, &["create", "update", "delete"]);
            Err(mistake(path, format_args!("unknown operation: `{word}`"), help))
        }
    }
}

/// Whether a failure lets the write through.
fn failure(arg: &Arg) -> syn::Result<bool> {
    let text = arg.text("\"ignore\"")?;
    match text.value().as_str() {
        "fail" => Ok(false),
        "ignore" => Ok(true),
        other => {
            let help = "write `\"fail\"`, which refuses the write, or `\"ignore\"`, which lets it through";
            Err(mistake(&text, format_args!("`failure` cannot be `{other}`"), help))
        }
    }
}

/// The longest time that an API server waits.
const LONGEST: Duration = Duration::from_secs(30);

fn timeout(arg: &Arg) -> syn::Result<Duration> {
    let value = arg.value("\"5s\"")?;
    let timeout = parse_duration("timeout", value)?;
    if timeout > LONGEST {
        return Err(mistake(value, "the API server waits at most 30 seconds", "write `\"30s\"` or less"));
    }
    if timeout.subsec_nanos() > 0 {
        return Err(mistake(value, "the API server waits whole seconds", "write for example `\"5s\"`"));
    }
    Ok(timeout)
}

/// A text that is not empty.
fn filled(arg: &Arg, example: &str) -> syn::Result<LitStr> {
    let (key, text) = (&arg.key, arg.text(example)?);
    if text.value().trim().is_empty() {
        let help = format!("write for example `{key} = {example}`");
        return Err(mistake(&text, format_args!("`{key}` is empty"), help));
    }
    Ok(text)
}

fn selector(arg: &Arg) -> syn::Result<LitStr> {
    let (key, text) = (&arg.key, arg.text("\"team=a\"")?);
    let value = text.value();
    match is_selector(&value) {
        true => Ok(text),
        false => {
            let help = format!("write for example `{key} = \"team=a\"`");
            Err(mistake(&text, format_args!("`{value}` is not a label selector"), help))
        }
    }
}

fn subresource(arg: &Arg) -> syn::Result<LitStr> {
    let text = arg.text("\"status\"")?;
    let value = text.value();
    let is_name = !value.is_empty() && value.chars().all(|c| c.is_ascii_lowercase());
    match is_name {
        true => Ok(text),
        false => Err(mistake(
            &text,
            format_args!("`{value}` is not the name of a subresource"),
            "write for example `subresource = \"status\"`",
        )),
    }
}
