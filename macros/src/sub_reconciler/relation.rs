//! The arguments `watches` and `owns` as written: kinds, how they wake, and what of their objects is kept in memory.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Path, Token, Type};

use super::check;
use crate::errors::{Errors, mistake};
use crate::syntax::args::Arg;
use crate::syntax::suggest;

/// `watches(K, by_name)`, `watches(K, labels = "..", cache = metadata)` or `watches(K, labels = "..", index = ByUser)`.
pub(crate) struct Watch {
    pub(crate) kind: Path,
    pub(crate) how: How,
    pub(crate) cache: Option<Cache>,
    /// What else its objects are found by.
    pub(crate) indexes: Vec<Path>,
}

pub(crate) enum How {
    ByName,
    Labels(LitStr),
}

/// One kind of `owns(K, L, cache = full)`.
pub(crate) struct Own {
    pub(crate) kind: Path,
    pub(crate) cache: Option<Cache>,
}

/// What is kept of the objects, with the word that says so.
#[derive(Clone)]
pub(crate) struct Cache {
    pub(crate) word: Ident,
    pub(crate) level: Level,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    None,
    Metadata,
    Full,
}

/// As the author writes them.
const LEVELS: [(&str, Level); 3] = [("none", Level::None), ("metadata", Level::Metadata), ("full", Level::Full)];
const CACHES: &str = "write `cache = none`, `cache = metadata` or `cache = full`";

impl Watch {
    /// Whether all that match are known by their labels, to be listed.
    pub(crate) fn lists(&self) -> bool {
        let keeps = self.cache.as_ref().is_none_or(|cache| cache.level > Level::None);
        matches!(self.how, How::Labels(_)) && keeps
    }
}

impl Own {
    /// Whether more than the records is kept.
    pub(crate) fn keeps(&self) -> bool {
        self.cache.as_ref().is_some_and(|cache| cache.level > Level::None)
    }
}

/// The kind and the indexes in a list that is wrong elsewhere.
pub(crate) fn paths(arg: &Arg) -> Vec<Path> {
    let all = |input: ParseStream| {
        let mut paths = vec![input.parse()?];
        while !input.is_empty() {
            let word: TokenTree = input.parse()?;
            if word.to_string() == "index" && input.peek(Token![=]) && input.peek2(Ident::peek_any) {
                input.parse::<Token![=]>()?;
                paths.push(input.parse()?);
            }
        }
        Ok(paths)
    };
    arg.list("").ok().and_then(|list| all.parse2(list).ok()).unwrap_or_default()
}

/// The kinds of one `owns(..)`. A mistake of ours leaves them as they are.
pub(crate) fn owns(arg: &Arg, errors: &mut Errors) -> Vec<Own> {
    let Some(list) = errors.take(arg.list("ConfigMap")) else { return Vec::new() };
    let unreadable = |_| Err(mistake(&list, "`owns` takes names", "write `owns(ConfigMap)`"));
    let Some((kinds, cache)) = errors.take(parse_owns.parse2(list.clone()).unwrap_or_else(unreadable)) else {
        return Vec::new();
    };
    let cache = cache.and_then(|cache| errors.take(cache));
    kinds.into_iter().map(|kind| Own { kind, cache: cache.clone() }).collect()
}

/// The kinds, and `cache = ..` where it is given.
type Owns = (Vec<Path>, Option<syn::Result<Cache>>);

/// The outer error is syn's, the inner ones ours.
fn parse_owns(input: ParseStream) -> syn::Result<syn::Result<Owns>> {
    let (mut kinds, mut cache) = (Vec::new(), None);
    while !input.is_empty() {
        if input.peek2(Token![=]) && !input.peek2(Token![==]) {
            let key: Ident = input.parse()?;
            cache = Some(parse_option(&key, cache.is_some(), &["cache"], input));
            if cache.as_ref().is_some_and(Result::is_err) {
                // What an error of ours leaves is not to be complained of as well.
                let _: TokenStream = input.parse()?;
            }
        } else {
            kinds.push(input.parse()?);
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    match (&cache, kinds.is_empty()) {
        (Some(Ok(Cache { word, .. })), true) => {
            Ok(Err(mistake(word, "`owns` takes kinds, too", "write for example `owns(ConfigMap, cache = full)`")))
        }
        _ => Ok(Ok((kinds, cache))),
    }
}

pub(crate) fn watch(arg: &Arg) -> syn::Result<Watch> {
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
    let watch = parse_options(Watch { kind, how, cache: None, indexes: Vec::new() }, input)?;
    check::check_watch(&watch)?;
    Ok(watch)
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

/// What follows the way to watch.
fn parse_options(mut watch: Watch, input: ParseStream) -> syn::Result<Watch> {
    while !input.is_empty() {
        let rest = input.cursor().token_stream();
        input.parse::<Token![,]>()?;
        if !input.peek2(Token![=]) {
            return Err(mistake(rest, "`watches` takes one kind", "write one `watches(..)` for each kind"));
        }
        let key: Ident = input.parse()?;
        if key == "index" {
            input.parse::<Token![=]>()?;
            let wrong = |_| mistake(&key, "`index` takes a type", "write for example `index = ByUser`");
            watch.indexes.push(input.parse().map_err(wrong)?);
        } else {
            watch.cache = Some(parse_option(&key, watch.cache.is_some(), &["cache", "index"], input)?);
        }
    }
    Ok(watch)
}

/// `cache = ..` from the `=` on.
fn parse_option(key: &Ident, again: bool, known: &[&str], input: ParseStream) -> syn::Result<Cache> {
    if key != "cache" {
        let text = key.to_string();
        return Err(mistake(key, format_args!("unknown argument `{text}`"), suggest::help(&text, known)));
    }
    if again {
        return Err(mistake(key, "`cache` is given twice", "keep one of them"));
    }
    input.parse::<Token![=]>()?;
    let rest = input.cursor().token_stream();
    let Ok(word) = input.parse::<Ident>() else {
        let at = rest.into_iter().next().unwrap_or_else(|| key.clone().into());
        return Err(mistake(at, "`cache` takes a word", CACHES));
    };
    let text = word.to_string();
    match LEVELS.iter().find(|(name, _)| text == *name) {
        Some((_, level)) => Ok(Cache { word, level: *level }),
        None => Err(mistake(word, format_args!("unknown cache: `{text}`"), CACHES)),
    }
}
