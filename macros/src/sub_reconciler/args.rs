//! The parsed arguments of `#[sub_reconciler]`.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use syn::Path;

use super::keeps::{self, Keeps};
use super::parse_relation;
use super::relation::{Own, Watch};
use super::site;
use super::uses::{self, Use};
use crate::errors::Errors;
use crate::syntax::args::{Arg, Keys, parse_args};
use crate::syntax::duration::parse_duration;
use crate::syntax::krate::Krate;

const KEYS: Keys = Keys {
    known: &[
        "sets",
        "clears",
        "reads",
        "watches",
        "polls",
        "owns",
        "dependents",
        "uses",
        "site",
        "external",
        "actions",
        "timeout",
        "marker",
        "crate",
    ],
    many: &["watches", "polls", "reads", "owns", "uses"],
};

/// When a step that only reads must run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Before,
    After,
}

impl Order {
    /// The name of the attribute.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Before => "precondition",
            Self::After => "postcondition",
        }
    }
}

/// Whether the word is an argument of a step.
pub(crate) fn is_word(word: &Ident) -> bool {
    word != "crate" && KEYS.known.iter().any(|known| word == known)
}

/// All declarations of a step.
#[derive(Default)]
pub(crate) struct StepArgs {
    pub(crate) sets: Vec<Path>,
    pub(crate) clears: Vec<Path>,
    pub(crate) reads: Vec<Path>,
    pub(crate) polls: Vec<Path>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) owns: Vec<Own>,
    pub(crate) keeps: Option<Keeps>,
    pub(crate) uses: Vec<Use>,
    /// The function that says where and as whom the step acts.
    pub(crate) site: Option<Path>,
    pub(crate) external: Option<Ident>,
    /// When a precondition or a postcondition runs.
    pub(crate) order: Option<Order>,
    pub(crate) actions: Vec<Path>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) marker: Option<Ident>,
    pub(crate) krate: Krate,
    /// Whether `sets` was given, even if it is invalid or misspelt.
    pub(crate) has_sets: bool,
    /// The kinds in rejected arguments, which count as used.
    pub(crate) refused: Vec<Path>,
}

/// Parses the arguments of a precondition or a postcondition, which are those of a step.
pub(crate) fn parse_ordered(order: Order, tokens: TokenStream, krate: Krate, errors: &mut Errors) -> StepArgs {
    StepArgs { order: Some(order), ..parse(tokens, krate, errors) }
}

pub(crate) fn parse(tokens: TokenStream, krate: Krate, errors: &mut Errors) -> StepArgs {
    let mut step = StepArgs { krate, ..StepArgs::default() };
    for arg in parse_args(tokens, &KEYS, errors) {
        step.take(&arg, errors);
    }
    // An error in the list may concern `sets` itself, so it suffices.
    step.has_sets |= errors.count() > 0;
    step
}

impl StepArgs {
    fn take(&mut self, arg: &Arg, errors: &mut Errors) {
        match arg.key.to_string().as_str() {
            "sets" => {
                self.has_sets = true;
                self.sets = paths(arg, "on::SourceFetched", errors);
            }
            "clears" => self.clears = paths(arg, "on::ArtifactOutdated", errors),
            "reads" => self.reads.extend(paths(arg, "ConfigMap", errors)),
            "polls" => self.polls.extend(paths(arg, "Secret", errors)),
            "owns" => self.owns.extend(parse_relation::owns(arg, errors)),
            "dependents" => self.keeps = keeps::parse(arg, errors),
            "uses" => {
                let uses = self.parsed(arg, uses::parse(arg), errors);
                self.uses.extend(uses);
            }
            "actions" => self.actions = paths(arg, "force", errors),
            "watches" => {
                let watch = self.parsed(arg, parse_relation::watch(arg), errors);
                self.watches.extend(watch);
            }
            "site" => self.site = errors.take(site::parse(arg)),
            "external" => self.external = errors.take(arg.word()).map(|()| arg.key.clone()),
            "timeout" => {
                let duration = arg.value("\"30s\"").and_then(|value| parse_duration("timeout", value));
                self.timeout = errors.take(duration);
            }
            "marker" => self.marker = errors.take(arg.ident("Fetch")),
            _ => self.krate = errors.take(arg.value("::evenkeel").and_then(Krate::parse)).unwrap_or(Krate::DEFAULT),
        }
    }

    /// The parsed argument. The kinds of a rejected one count as used.
    fn parsed<T>(&mut self, arg: &Arg, parsed: syn::Result<T>, errors: &mut Errors) -> Option<T> {
        if parsed.is_err() {
            self.refused.extend(parse_relation::paths(arg));
        }
        errors.take(parsed)
    }
}

fn paths(arg: &Arg, example: &str, errors: &mut Errors) -> Vec<Path> {
    errors.take(arg.paths(example)).unwrap_or_default()
}
