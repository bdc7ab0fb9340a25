//! Parses the arguments `watches` and `owns`.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{LitStr, Path, Token, Type};

use super::check_relation as check;
use super::relation::{Adopt, Cache, How, Labels, Level, Own, Watch};
use crate::errors::{Errors, mistake};
use crate::syntax::args::Arg;
use crate::syntax::suggest;

/// The words as the author writes them.
const LEVELS: [(&str, Level); 3] = [("none", Level::None), ("metadata", Level::Metadata), ("full", Level::Full)];
const ADOPTS: [(&str, Adopt); 3] =
    [("never", Adopt::Never), ("if_unowned", Adopt::IfUnowned), ("always", Adopt::Always)];
const NAMESPACES: [(&str, bool); 2] = [("own", false), ("any", true)];
const NAMESPACES_HELP: &str = "write `namespaces = own` or `namespaces = any`";
const ADOPT_HELP: &str = "write `adopt = never`, `adopt = if_unowned` or `adopt = always`";
const CACHES: &str = "write `cache = none`, `cache = metadata` or `cache = full`";

/// The kind and the indexes of a list with an error elsewhere.
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

/// The kinds of one `owns(..)`. A semantic error does not remove them.
pub(crate) fn owns(arg: &Arg, errors: &mut Errors) -> Vec<Own> {
    let Some(list) = errors.take(arg.list("ConfigMap")) else { return Vec::new() };
    let unreadable = |_| Err(mistake(&list, "`owns` takes names", "write `owns(ConfigMap)`"));
    let Some((kinds, options)) = errors.take(parse_owns.parse2(list.clone()).unwrap_or_else(unreadable)) else {
        return Vec::new();
    };
    let cache = options.cache.and_then(|(_, cache)| errors.take(cache));
    let adopt = options.adopt.and_then(|(_, adopt)| errors.take(adopt));
    let anywhere = options.anywhere.and_then(|(_, anywhere)| errors.take(anywhere)).unwrap_or_default();
    let labels = options.labels.and_then(|(_, labels)| errors.take(labels)).unwrap_or_default();
    options.unknown.into_iter().for_each(|error| errors.add(error));
    let own = |kind| Own { kind, cache: cache.clone(), adopt, anywhere, labels: labels.clone() };
    kinds.into_iter().map(own).collect()
}

/// The options for all kinds of one `owns(..)`, each with its key.
#[derive(Default)]
struct Options {
    cache: Option<(Ident, syn::Result<Cache>)>,
    adopt: Option<(Ident, syn::Result<Adopt>)>,
    anywhere: Option<(Ident, syn::Result<bool>)>,
    labels: Option<(Ident, syn::Result<Labels>)>,
    unknown: Option<syn::Error>,
}

impl Options {
    /// Parses the value of this key, from the `=` on. Returns false on an error; the rest is then not reported.
    fn take(&mut self, key: Ident, input: ParseStream) -> bool {
        let known = ["cache", "adopt", "namespaces", "labels"];
        match key.to_string().as_str() {
            "namespaces" => return take_word(&mut self.anywhere, key, (&NAMESPACES, NAMESPACES_HELP), input),
            "labels" => {
                let labels = parse_labels(&key, self.labels.is_some(), input);
                let is_right = labels.is_ok();
                self.labels = Some((key, labels));
                return is_right;
            }
            "adopt" => return take_word(&mut self.adopt, key, (&ADOPTS, ADOPT_HELP), input),
            _ => {}
        }
        let cache = parse_option(&key, self.cache.is_some(), &known, input);
        let is_right = cache.is_ok();
        match cache {
            Err(error) if key != "cache" => self.unknown = Some(error),
            cache => self.cache = Some((key, cache)),
        }
        is_right
    }

    /// The first of the keys.
    fn key(&self) -> Option<&Ident> {
        let keys = self.cache.iter().map(|(key, _)| key).chain(self.adopt.iter().map(|(key, _)| key));
        let keys = keys.chain(self.anywhere.iter().map(|(key, _)| key));
        keys.chain(self.labels.iter().map(|(key, _)| key)).next()
    }

    fn is_right(&self) -> bool {
        self.unknown.is_none()
            && self.cache.as_ref().is_none_or(|(_, cache)| cache.is_ok())
            && self.adopt.as_ref().is_none_or(|(_, adopt)| adopt.is_ok())
            && self.anywhere.as_ref().is_none_or(|(_, anywhere)| anywhere.is_ok())
            && self.labels.as_ref().is_none_or(|(_, labels)| labels.is_ok())
    }
}

/// Parses the labels of owned objects, from the `=` on.
fn parse_labels(key: &Ident, again: bool, input: ParseStream) -> syn::Result<Labels> {
    if again {
        return Err(mistake(key, "`labels` is given twice", "write `labels = \"app=web,tier=db\"`"));
    }
    input.parse::<Token![=]>()?;
    let wrong = |_| mistake(key, "`labels` takes a text", "write for example `labels = \"app=web\"`");
    check::owned_labels(&input.parse().map_err(wrong)?)
}

/// Parses one of the words of a key into its option. Returns false on an error.
fn take_word<T: Copy>(
    option: &mut Option<(Ident, syn::Result<T>)>,
    key: Ident,
    words: (&[(&str, T)], &str),
    input: ParseStream,
) -> bool {
    let word = parse_word(&key, option.is_some(), words, input).map(|(_, word)| word);
    let is_right = word.is_ok();
    *option = Some((key, word));
    is_right
}

/// The outer error is a syntax error, the inner ones are semantic.
fn parse_owns(input: ParseStream) -> syn::Result<syn::Result<(Vec<Path>, Options)>> {
    let (mut kinds, mut options) = (Vec::new(), Options::default());
    while !input.is_empty() {
        if input.peek2(Token![=]) && !input.peek2(Token![==]) {
            if !options.take(input.parse()?, input) {
                let _: TokenStream = input.parse()?;
            }
        } else {
            kinds.push(input.parse()?);
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    match options.key().filter(|_| kinds.is_empty() && options.is_right()) {
        Some(key) => {
            Ok(Err(mistake(key, "`owns` takes at least one kind", "write for example `owns(ConfigMap, cache = full)`")))
        }
        None => Ok(Ok((kinds, options))),
    }
}

pub(crate) fn watch(arg: &Arg) -> syn::Result<Watch> {
    let list = arg.list("Secret, by_name")?;
    let help = "write `watches(Secret, by_name)`";
    parse_watch
        .parse2(list.clone())
        .unwrap_or_else(|_| Err(mistake(list, "`watches` takes a kind and how to watch it", help)))
}

/// The outer error is a syntax error, the inner one is semantic.
fn parse_watch(input: ParseStream) -> syn::Result<syn::Result<Watch>> {
    let kind: Type = input.parse()?;
    let watch = parse_rest(&kind, input);
    // After a semantic error the remaining tokens are skipped, to avoid a second error.
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
    let watch = parse_options(Watch { kind, how, cache: None, indexes: Vec::new(), map: None }, input)?;
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
            Ok(How::Selected(Some(selector), None))
        }
        "fields" if input.peek(Token![=]) => Ok(How::Selected(None, Some(parse_fields(input)?))),
        "fields" => Err(mistake(word, "`fields` has no value", "write `fields = \"status.phase=Running\"`")),
        "labels" => Err(mistake(word, "`labels` has no value", "write `labels = \"app=web\"`")),
        _ => {
            let help = suggest::help(&text, &["by_name", "labels", "fields"]);
            Err(mistake(word, format_args!("unknown way to watch: `{text}`"), help))
        }
    }
}

/// Parses a field selector, from the `=` on.
fn parse_fields(input: ParseStream) -> syn::Result<LitStr> {
    input.parse::<Token![=]>()?;
    let fields = input.parse::<LitStr>()?;
    check::check_fields(&fields)?;
    Ok(fields)
}

/// Parses the options after the selection.
fn parse_options(mut watch: Watch, input: ParseStream) -> syn::Result<Watch> {
    while !input.is_empty() {
        let rest = input.cursor().token_stream();
        input.parse::<Token![,]>()?;
        if !input.peek2(Token![=]) {
            return Err(mistake(rest, "`watches` takes one kind", "write one `watches(..)` for each kind"));
        }
        let key: Ident = input.parse()?;
        if key == "fields"
            && let How::Selected(labels, None) = &watch.how
        {
            watch.how = How::Selected(labels.clone(), Some(parse_fields(input)?));
        } else if key == "index" {
            input.parse::<Token![=]>()?;
            let wrong = |_| mistake(&key, "`index` takes a type", "write for example `index = ByUser`");
            watch.indexes.push(input.parse().map_err(wrong)?);
        } else if key == "map" {
            if watch.map.is_some() {
                return Err(mistake(&key, "`map` is given twice", "write one function that returns all objects"));
            }
            input.parse::<Token![=]>()?;
            let wrong = |_| mistake(&key, "`map` takes the path of a function", "write for example `map = users_of`");
            watch.map = Some(input.parse().map_err(wrong)?);
        } else {
            watch.cache = Some(parse_option(&key, watch.cache.is_some(), &["cache", "fields", "index", "map"], input)?);
        }
    }
    Ok(watch)
}

/// Parses `cache = ..` from the `=` on.
fn parse_option(key: &Ident, again: bool, known: &[&str], input: ParseStream) -> syn::Result<Cache> {
    if key == "adopt" {
        let help = "declare it where the step owns the kind: `owns(ConfigMap, adopt = if_unowned)`";
        return Err(mistake(key, "only owned objects are adopted", help));
    }
    if key != "cache" {
        let text = key.to_string();
        return Err(mistake(key, format_args!("unknown argument `{text}`"), suggest::help(&text, known)));
    }
    let (word, level) = parse_word(key, again, (&LEVELS, CACHES), input)?;
    Ok(Cache { word, level })
}

/// Parses one of the words of a key, from the `=` on.
fn parse_word<T: Copy>(
    key: &Ident,
    again: bool,
    (words, help): (&[(&str, T)], &str),
    input: ParseStream,
) -> syn::Result<(Ident, T)> {
    if again {
        return Err(mistake(key, format_args!("`{key}` is given twice"), "keep one of them"));
    }
    input.parse::<Token![=]>()?;
    let rest = input.cursor().token_stream();
    let Ok(word) = input.parse::<Ident>() else {
        let at = rest.into_iter().next().unwrap_or_else(|| key.clone().into());
        return Err(mistake(at, format_args!("`{key}` takes a word"), help));
    };
    let text = word.to_string();
    match words.iter().find(|(name, _)| text == *name) {
        Some((_, value)) => Ok((word, *value)),
        None => Err(mistake(&word, format_args!("unknown {key}: `{text}`"), help)),
    }
}
