//! The argument `dependents`: the kinds of a set, and its settings.

use std::time::Duration;

use proc_macro2::{Ident, TokenStream};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, LitInt, LitStr, Path, Token, parenthesized, token};

use super::keeps_former::Former;
use super::keeps_policy::{POLICIES, Policy, word};
use super::keeps_ready::{self, Ready};
use super::keeps_value::{Source, is_word, limit_of, number, prefix, source};
use crate::errors::{Errors, mistake};
use crate::syntax::args::Arg;
use crate::syntax::duration::parse_duration;
use crate::syntax::kind_text;
use crate::syntax::suggest;
use crate::syntax::time::Time;

/// `dependents(ConfigMap, Deployment, delete = orphan, policies = spec.policies)`.
pub(crate) struct Keeps {
    /// The word `dependents`.
    pub(crate) key: Ident,
    pub(crate) kinds: Vec<Path>,
    /// Those whose objects are cached: `Service(cache = full)`.
    pub(crate) cached: Vec<Path>,
    /// The kinds that are known by text: `kinds("apps/v1/Deployment")`.
    pub(crate) texts: Vec<TextKind>,
    /// The sets of templates, as paths of constants.
    pub(crate) templates: Vec<Path>,
    /// Patterns of the types that the objects of the set serve: `"*.crossplane.io/*"`.
    pub(crate) manages: Vec<LitStr>,
    /// Where further patterns of an object come from.
    pub(crate) manages_of: Option<Source>,
    /// The functions that determine whether the objects of a kind are ready.
    pub(crate) ready: Vec<Ready>,
    /// Whether roles of the set may grant what the operator does not have.
    pub(crate) escalates: bool,
    /// Whether events are recorded on the objects.
    pub(crate) events: bool,
    /// The policies of the set, each with its variant.
    pub(crate) words: Vec<(&'static Policy, &'static str)>,
    pub(crate) policies: Option<Source>,
    pub(crate) reapply: Option<Duration>,
    /// `None`: not given. `Some(None)`: no limit.
    pub(crate) ready_within: Option<Option<Time>>,
    pub(crate) limit: Option<LitInt>,
    pub(crate) may_be_empty: bool,
    /// Whether the status lists the objects.
    pub(crate) inventory: bool,
    /// The word `any`: objects of kinds that are known only when the set is rendered.
    pub(crate) any: Option<Ident>,
    /// The word `trusted`: authors of components may have the rights of the operator.
    pub(crate) trusted: Option<Ident>,
    /// Whether all objects are in the namespace of the component.
    pub(crate) within_namespace: bool,
    /// What an earlier tool left.
    pub(crate) former: Option<Former>,
    /// A prefix under which annotations of manifests are read, too.
    pub(crate) prefix: Option<LitStr>,
}

/// `"sea.example.com/v1/Fish" = "fish"`, or the same in `cluster(..)`.
pub(crate) struct TextKind {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) plural: Option<String>,
    /// Whether its objects have no namespace.
    pub(crate) cluster_scoped: bool,
}

const KEYS: [&str; 13] = [
    "adopt",
    "update",
    "delete",
    "namespaces",
    "policies",
    "reapply",
    "ready_within",
    "limit",
    "empty",
    "within",
    "prefix",
    "manages",
    "inventory",
];
/// The words without a value.
const WORDS: [&str; 3] = ["any", "trusted", "events"];
/// The lists, each with an example.
const LISTS: [(&str, &str); 6] = [
    ("kinds", "\"apps/v1/Deployment\""),
    ("templates", "MANIFESTS"),
    ("manages", "\"*.crossplane.io/*\""),
    ("ready", "Certificate = issued"),
    ("rights", "escalate"),
    ("previously", "field_managers(\"helm\")"),
];

/// Parses the argument. Each mistake is one error.
pub(crate) fn parse(arg: &Arg, errors: &mut Errors) -> Option<Keeps> {
    let list = errors.take(arg.list("ConfigMap"))?;
    let mut keeps = Keeps {
        key: arg.key.clone(),
        kinds: Vec::new(),
        cached: Vec::new(),
        texts: Vec::new(),
        templates: Vec::new(),
        manages: Vec::new(),
        manages_of: None,
        ready: Vec::new(),
        escalates: false,
        events: false,
        words: Vec::new(),
        policies: None,
        reapply: None,
        ready_within: None,
        limit: None,
        may_be_empty: false,
        inventory: false,
        any: None,
        trusted: None,
        within_namespace: false,
        former: None,
        prefix: None,
    };
    let mut found = Vec::new();
    let parsed = (|input: ParseStream| keeps.parse(input, &mut found)).parse2(list.clone());
    let is_bad = parsed.is_err() || !found.is_empty();
    if parsed.is_err() && found.is_empty() {
        found.push(mistake(
            &list,
            "`dependents` takes kinds and settings",
            "write for example `dependents(ConfigMap)`",
        ));
    }
    found.into_iter().for_each(|error| errors.add(error));
    let names_none =
        keeps.any.is_none() && keeps.kinds.is_empty() && keeps.texts.is_empty() && keeps.templates.is_empty();
    if names_none && !is_bad {
        errors.push(&arg.key, "`dependents` names no kind", "write for example `dependents(ConfigMap, Deployment)`");
    }
    Some(keeps)
}

impl Keeps {
    /// The error is one of syntax; `found` receives the others.
    fn parse(&mut self, input: ParseStream, found: &mut Vec<syn::Error>) -> syn::Result<()> {
        let mut seen: Vec<String> = Vec::new();
        while !input.is_empty() {
            if input.peek2(Token![=]) && !input.peek2(Token![==]) {
                let key = input.call(Ident::parse_any)?;
                input.parse::<Token![=]>()?;
                let value: Expr = parse_value(input)?;
                if seen.contains(&key.to_string()) {
                    found.push(mistake(&key, format_args!("`{key}` is given twice"), "keep one of them"));
                } else if let Err(error) = self.take(&key, value) {
                    found.push(error);
                }
                seen.push(key.to_string());
            } else if input.peek2(token::Paren) && !is_kind(input) {
                self.parse_list(input, found)?;
            } else {
                let path = input.parse()?;
                if input.peek(token::Paren) {
                    self.cached.push(path);
                    self.parse_cache(input, found)?;
                } else {
                    self.take_word(path, found);
                }
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    /// Parses `(cache = full)` after a kind, which is cached then.
    fn parse_cache(&mut self, input: ParseStream, found: &mut Vec<syn::Error>) -> syn::Result<()> {
        let (list, kind) = (input.call(parenthesized)?, self.cached.last().cloned());
        self.kinds.extend(kind);
        let setting =
            |input: ParseStream| Ok((input.call(Ident::parse_any)?, input.parse::<Token![=]>()?, parse_value(input)?));
        let is_right =
            setting.parse2(list.clone()).is_ok_and(|(key, _, value)| key == "cache" && is_word(&value, "full"));
        if !is_right {
            let help = "write for example `Service(cache = full)`";
            found.push(mistake(&list, "a kind in `dependents(..)` takes `cache = full`", help));
        }
        Ok(())
    }

    /// Takes a kind, whose name starts with a capital letter, or one of the words `any`, `trusted` and `events`.
    fn take_word(&mut self, path: Path, found: &mut Vec<syn::Error>) {
        let Some(word) = path.get_ident().filter(|ident| ident.to_string().starts_with(char::is_lowercase)) else {
            return self.kinds.push(path);
        };
        let is_again = match word.to_string().as_str() {
            "any" => self.any.replace(word.clone()).is_some(),
            "trusted" => self.trusted.replace(word.clone()).is_some(),
            "events" => std::mem::replace(&mut self.events, true),
            _ => return found.push(unknown(word)),
        };
        if is_again {
            found.push(mistake(word, format_args!("`{word}` is given twice"), "keep one of them"));
        }
    }

    /// Parses a list: `templates(A, B)`, `kinds("apps/v1/Deployment")`, `manages("*.crossplane.io/*")` or `ready(Certificate = issued)`.
    fn parse_list(&mut self, input: ParseStream, found: &mut Vec<syn::Error>) -> syn::Result<()> {
        let key = input.call(Ident::parse_any)?;
        let list;
        parenthesized!(list in input);
        let name = key.to_string();
        if name == "previously" {
            let former = Former::parse(&key, &list, found)?;
            if self.former.replace(former).is_some() {
                found.push(mistake(&key, "`previously` is given twice", "keep one of them"));
            }
            return Ok(());
        }
        let Some((_, example)) = LISTS.iter().find(|(known, _)| *known == name) else {
            let rest: TokenStream = list.parse()?;
            drop(rest);
            found.push(unknown(&key));
            return Ok(());
        };
        if list.is_empty() {
            let help = format_args!("write for example `{name}({example})`");
            found.push(mistake(&key, format_args!("`{name}` is empty"), help));
        }
        while !list.is_empty() {
            if name == "templates" {
                self.templates.push(list.parse()?);
            } else if name == "manages" {
                self.parse_pattern(&list, found)?;
            } else if name == "rights" {
                let right: Ident = list.parse()?;
                self.escalates |= right == "escalate";
                if right != "escalate" {
                    let help = suggest::help(&right.to_string(), &["escalate"]);
                    found.push(mistake(&right, format_args!("unknown right `{right}`"), help));
                }
            } else if name == "ready" {
                self.ready.extend(keeps_ready::parse(&list, found)?);
            } else if list.peek(LitStr) {
                self.parse_text(&list, false, found)?;
            } else {
                let scope: Ident = list.parse()?;
                let inner;
                parenthesized!(inner in list);
                if scope != "cluster" {
                    let help = suggest::help(&scope.to_string(), &["cluster"]);
                    found.push(mistake(&scope, format_args!("unknown scope `{scope}`"), help));
                }
                self.parse_text(&inner, true, found)?;
            }
            if !list.is_empty() {
                list.parse::<Token![,]>()?;
            }
        }
        Ok(())
    }

    /// Whether `kinds(..)` lists the kind.
    pub(crate) fn lists(&self, api_version: &str, kind: &str) -> bool {
        self.texts.iter().any(|listed| listed.api_version == api_version && listed.kind == kind)
    }

    /// Parses `"sea.example.com/v1/Fish" = "fish"`.
    fn parse_text(&mut self, input: ParseStream, cluster_scoped: bool, found: &mut Vec<syn::Error>) -> syn::Result<()> {
        let text: LitStr = input.parse()?;
        let plural = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse::<LitStr>()?.value()),
            None => None,
        };
        let value = text.value();
        let Some((api_version, kind)) = kind_text::split(&value) else {
            let help = "write the version and the kind: `\"v1/ConfigMap\"` or `\"apps/v1/Deployment\"`";
            found.push(mistake(&text, format_args!("`{value}` is no kind"), help));
            return Ok(());
        };
        if self.lists(api_version, kind) {
            found.push(mistake(&text, format_args!("`{value}` is listed twice in `kinds`"), "remove one of them"));
        }
        let (api_version, kind) = (api_version.to_owned(), kind.to_owned());
        self.texts.push(TextKind { api_version, kind, plural, cluster_scoped });
        Ok(())
    }

    /// Parses `"*.crossplane.io/*"`.
    fn parse_pattern(&mut self, input: ParseStream, found: &mut Vec<syn::Error>) -> syn::Result<()> {
        let text: LitStr = input.parse()?;
        let value = text.value();
        if !kind_text::is_pattern(&value) {
            let help = "write a group and a kind: `\"cert-manager.io/Certificate\"`, or `\"*.crossplane.io/*\"`";
            found.push(mistake(&text, format_args!("`{value}` is no pattern of kinds"), help));
        } else if self.manages.iter().any(|earlier| earlier.value() == value) {
            found.push(mistake(&text, format_args!("`{value}` is listed twice in `manages`"), "remove one of them"));
        }
        self.manages.push(text);
        Ok(())
    }

    fn take(&mut self, key: &Ident, value: Expr) -> syn::Result<()> {
        let name = key.to_string();
        if let Some(policy) = POLICIES.iter().find(|policy| policy.key == name) {
            self.words.push((policy, word(policy, &value)?));
            return Ok(());
        }
        match name.as_str() {
            "policies" => self.policies = Some(source("policies", value)?),
            "manages" => self.manages_of = Some(source("manages", value)?),
            "reapply" => self.reapply = Some(parse_duration("reapply", &value)?),
            "ready_within" => self.ready_within = Some(limit_of(&value)?),
            "limit" => self.limit = Some(number(&value)?),
            "empty" => {
                self.may_be_empty = only(key, &value, "allow", "a set that had objects may then not become empty")?;
            }
            "within" => {
                self.within_namespace = only(key, &value, "namespace", "the objects may then be in any namespace")?;
            }
            "inventory" => self.inventory = only(key, &value, "all", "the status then names only what is not ready")?,
            "prefix" => self.prefix = Some(prefix(value)?),
            _ => return Err(unknown(key)),
        }
        Ok(())
    }
}

/// The value of an argument that takes one word. `without`: what holds if it is left out.
fn only(key: &Ident, value: &Expr, word: &str, without: &str) -> syn::Result<bool> {
    if is_word(value, word) {
        return Ok(true);
    }
    let help = format_args!("write `{key} = {word}`, or leave it out: {without}");
    Err(mistake(value, format_args!("`{key}` takes the word `{word}`"), help))
}

/// The tokens in parentheses.
fn parenthesized(input: ParseStream) -> syn::Result<TokenStream> {
    let list;
    parenthesized!(list in input);
    list.parse()
}

/// Whether a kind comes next, not the name of a list.
fn is_kind(input: ParseStream) -> bool {
    input.fork().call(Ident::parse_any).is_ok_and(|name| name.to_string().starts_with(char::is_uppercase))
}

/// The error for a name that is unknown, or known in another form.
fn unknown(key: &Ident) -> syn::Error {
    let name = key.to_string();
    if let Some((_, example)) = LISTS.iter().find(|(list, _)| *list == name) {
        let help = format_args!("write for example `{name}({example})`");
        return mistake(key, format_args!("`{name}` is a list"), help);
    }
    if WORDS.contains(&&*name) {
        return mistake(key, format_args!("`{name}` takes no value"), format_args!("write `{name}` alone"));
    }
    if KEYS.contains(&&*name) {
        return mistake(key, format_args!("`{name}` takes a value"), format_args!("write `{name} = ..`"));
    }
    let all: Vec<&str> = KEYS.into_iter().chain(WORDS).chain(LISTS.map(|(list, _)| list)).collect();
    mistake(key, format_args!("unknown argument `{name}`"), suggest::help(&name, &all))
}

/// A value: an expression, or a word that is a keyword in Rust, such as `override`.
fn parse_value(input: ParseStream) -> syn::Result<Expr> {
    let is_end = |input: ParseStream| input.is_empty() || input.peek(Token![,]);
    let ahead = input.fork();
    if let Ok(word) = ahead.call(Ident::parse_any)
        && is_end(&ahead)
    {
        input.call(Ident::parse_any)?;
        return Ok(Expr::Path(syn::ExprPath { attrs: Vec::new(), qself: None, path: word.into() }));
    }
    input.parse()
}
