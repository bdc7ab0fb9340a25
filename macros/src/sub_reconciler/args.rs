//! The arguments of `#[sub_reconciler]` as written.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Path, Token, Type};

use super::check;
use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, parse_args};
use crate::syntax::duration::parse_duration;
use crate::syntax::krate::Krate;
use crate::syntax::suggest;

const KEYS: Keys = Keys {
    known: &[
        "sets", "clears", "reads", "watches", "polls", "owns", "external", "actions", "timeout", "marker", "crate",
    ],
    many: &["watches", "polls", "reads", "owns"],
};

/// All that a step declares.
pub(crate) struct StepArgs {
    pub(crate) sets: Vec<Path>,
    pub(crate) clears: Vec<Path>,
    pub(crate) reads: Vec<Path>,
    pub(crate) polls: Vec<Path>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) owns: Vec<Path>,
    pub(crate) external: Option<Ident>,
    pub(crate) actions: Vec<Path>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) marker: Option<Ident>,
    pub(crate) krate: Krate,
    /// `sets` was there, right or wrong, or a misspelling stands for it.
    pub(crate) says_sets: bool,
    /// Kinds of refused arguments: they count as used.
    pub(crate) refused: Vec<Path>,
}

/// `watches(K, by_name)` or `watches(K, labels = "..")`.
pub(crate) struct Watch {
    pub(crate) kind: Path,
    pub(crate) how: How,
}

pub(crate) enum How {
    ByName,
    Labels(LitStr),
}

pub(crate) fn parse(tokens: TokenStream, krate: Krate, errors: &mut Errors) -> StepArgs {
    let mut step = StepArgs {
        sets: Vec::new(),
        clears: Vec::new(),
        reads: Vec::new(),
        polls: Vec::new(),
        watches: Vec::new(),
        owns: Vec::new(),
        external: None,
        actions: Vec::new(),
        timeout: None,
        marker: None,
        krate,
        says_sets: false,
        refused: Vec::new(),
    };
    for arg in parse_args(tokens, &KEYS, errors) {
        step.take(&arg, errors);
    }
    // A mistake in the list may be the very word: one error is enough.
    step.says_sets |= errors.count() > 0;
    step
}

impl StepArgs {
    fn take(&mut self, arg: &Arg, errors: &mut Errors) {
        match arg.key.to_string().as_str() {
            "sets" => {
                self.says_sets = true;
                self.sets = paths(arg, "on::SourceFetched", errors);
            }
            "clears" => self.clears = paths(arg, "on::ArtifactOutdated", errors),
            "reads" => self.reads.extend(paths(arg, "ConfigMap", errors)),
            "polls" => self.polls.extend(paths(arg, "Secret", errors)),
            "owns" => self.owns.extend(paths(arg, "ConfigMap", errors)),
            "actions" => self.actions = paths(arg, "force", errors),
            "watches" => match watch(arg) {
                Ok(watch) => self.watches.push(watch),
                Err(error) => {
                    errors.add(error);
                    self.refused.extend(first_path(arg));
                }
            },
            "external" => self.external = errors.take(arg.word()).map(|()| arg.key.clone()),
            "timeout" => {
                let duration = arg.value("\"30s\"").and_then(|value| parse_duration("timeout", value));
                self.timeout = errors.take(duration);
            }
            "marker" => self.marker = errors.take(arg.ident("Fetch")),
            _ => self.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(Krate::DEFAULT),
        }
    }
}

fn paths(arg: &Arg, example: &str, errors: &mut Errors) -> Vec<Path> {
    errors.take(arg.paths(example)).unwrap_or_default()
}

/// The kind in a list that is wrong elsewhere.
fn first_path(arg: &Arg) -> Option<Path> {
    let list = arg.list("").ok()?;
    let first = |input: ParseStream| {
        let path: Path = input.parse()?;
        let _: TokenStream = input.parse()?;
        Ok(path)
    };
    first.parse2(list).ok()
}

fn watch(arg: &Arg) -> syn::Result<Watch> {
    let list = arg.list("Secret, by_name")?;
    let help = "write `watches(Secret, by_name)`";
    parse_watch.parse2(list.clone()).unwrap_or_else(|_| Err(mistake(list, "`watches` takes a kind, and how", help)))
}

/// The outer error is syn's, the inner one ours.
fn parse_watch(input: ParseStream) -> syn::Result<syn::Result<Watch>> {
    let kind: Type = input.parse()?;
    let watch = parse_rest(&kind, input);
    // What an error of ours leaves is not to be complained of as well.
    let _: TokenStream = input.parse()?;
    Ok(watch)
}

fn parse_rest(kind: &Type, input: ParseStream) -> syn::Result<Watch> {
    let Type::Path(path) = kind else {
        return Err(mistake(kind, "`watches` takes a kind", "write `watches(Secret, by_name)`"));
    };
    let kind = path.path.clone();
    if input.is_empty() {
        return Err(check::bare_watch(&kind));
    }
    input.parse::<Token![,]>()?;
    let how = match input.parse::<Ident>() {
        Ok(word) => parse_how(&word, input)?,
        Err(_) => return Err(check::bare_watch(&kind)),
    };
    if !input.is_empty() {
        let rest: TokenStream = input.parse()?;
        return Err(mistake(rest, "`watches` takes one kind", "write one `watches(..)` for each kind"));
    }
    Ok(Watch { kind, how })
}

fn parse_how(word: &Ident, input: ParseStream) -> syn::Result<How> {
    let text = word.to_string();
    match text.as_str() {
        "by_name" => Ok(How::ByName),
        "labels" if input.peek(Token![=]) => {
            input.parse::<Token![=]>()?;
            let selector = input.parse::<LitStr>()?;
            check::check_selector(&selector)?;
            Ok(How::Labels(selector))
        }
        "labels" => Err(mistake(word, "`labels` has no value", "write `labels = \"app=web\"`")),
        _ => {
            let help = suggest::help(&text, &["by_name", "labels"]);
            Err(mistake(word, format_args!("unknown way to watch: `{text}`"), help))
        }
    }
}
