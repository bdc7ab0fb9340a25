//! The parsed arguments of an attribute: `word`, `key = value`, `key(list)`.

use darling::ast::{MetaNameValueInvalidExpr, NestedMeta};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use syn::parse::{Parse as _, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::token::Paren;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, MacroDelimiter, Meta, MetaList, MetaNameValue, Path, Token};

use crate::errors::{Errors, mistake};
use crate::syntax::names::plain;
use crate::syntax::suggest;

/// One argument.
pub(crate) struct Arg {
    pub(crate) key: Ident,
    pub(crate) value: Value,
}

/// The tokens after the key.
pub(crate) enum Value {
    /// Nothing: `external`.
    Word,
    /// A list in parentheses, raw: `sets(on::A)`.
    List(TokenStream),
    /// A value: `requeue = "10m"`.
    Is(Box<Expr>),
}

/// The keys of an attribute, and those that may be repeated.
pub(crate) struct Keys {
    pub(crate) known: &'static [&'static str],
    pub(crate) many: &'static [&'static str],
}

/// Parses the arguments and omits invalid ones.
/// A misspelt key counts as the one that was meant, so that no further error follows.
pub(crate) fn parse_args(tokens: TokenStream, keys: &Keys, errors: &mut Errors) -> Vec<Arg> {
    let mut args: Vec<Arg> = Vec::new();
    for tokens in split(tokens) {
        let Some(mut arg) = errors.take(parse_arg.parse2(tokens)) else { continue };
        let key = plain(&arg.key);
        if !keys.known.contains(&key.as_str()) {
            errors.push(&arg.key, format_args!("unknown argument `{key}`"), suggest::help(&key, keys.known));
            let Some(meant) = suggest::meant(&key, keys.known) else { continue };
            arg.key = Ident::new(meant, arg.key.span());
        }
        let repeated = args.iter().any(|earlier| earlier.key == arg.key);
        if repeated && !keys.many.iter().any(|many| arg.key == *many) {
            errors.push(&arg.key, format_args!("`{}` is given twice", plain(&arg.key)), "keep one of them");
        } else {
            args.push(arg);
        }
    }
    args
}

/// Parses the arguments of all helper attributes with the name: `#[condition(..)]`, `#[class(..)]`.
pub(crate) fn parse_attrs(attrs: &[Attribute], name: &str, keys: &Keys, errors: &mut Errors) -> Vec<Arg> {
    parse_args(joined(attrs, name), keys, errors)
}

/// The arguments of all helper attributes with the name.
pub(crate) fn joined(attrs: &[Attribute], name: &str) -> TokenStream {
    let ours = attrs.iter().filter(|attr| attr.path().is_ident(name));
    let tokens: Vec<_> = ours.map(arguments).filter(|tokens| !tokens.is_empty()).collect();
    quote::quote!(#(#tokens),*)
}

/// The tokens in the parentheses of an attribute.
pub(crate) fn arguments(attr: &Attribute) -> TokenStream {
    match &attr.meta {
        Meta::List(list) => list.tokens.clone(),
        Meta::Path(_) | Meta::NameValue(_) => TokenStream::new(),
    }
}

/// Splits the arguments, so that an error in one does not hide the next.
pub(crate) fn split(tokens: TokenStream) -> Vec<TokenStream> {
    let mut parts = vec![TokenStream::new()];
    for token in tokens {
        match (&token, parts.last_mut()) {
            (TokenTree::Punct(punct), _) if punct.as_char() == ',' => parts.push(TokenStream::new()),
            (_, Some(part)) => part.extend([token]),
            (_, None) => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn parse_arg(input: ParseStream) -> syn::Result<Arg> {
    let start = input.cursor();
    // darling's form of an argument, since that of syn has no keywords such as `crate` and `mod` for keys.
    let parsed = NestedMeta::parse(input);
    let arg = match parsed {
        Ok(NestedMeta::Lit(literal)) => return Err(mistake(literal, "a value without a key", "write `key = value`")),
        Ok(NestedMeta::Meta(meta)) if meta.path().get_ident().is_some() => Arg::of(&meta),
        Ok(NestedMeta::NameValueInvalidExpr(pair)) => return Err(unreadable(&pair)),
        Ok(NestedMeta::Meta(_)) | Err(_) => {
            let rest: TokenStream = start.token_stream();
            return Err(mistake(rest, "an argument starts with its key", "write `key`, `key = value` or `key(..)`"));
        }
    };
    if !input.is_empty() {
        let rest: TokenStream = input.parse()?;
        return Err(mistake(
            rest,
            format_args!("this does not belong to `{}`", arg.key),
            "separate arguments by commas",
        ));
    }
    Ok(arg)
}

fn unreadable(pair: &MetaNameValueInvalidExpr) -> syn::Error {
    let key = pair.path.to_token_stream();
    let help = format!("write `{key} = ..`");
    match pair.value.is_empty() {
        true => mistake(pair, format_args!("`{key}` has no value"), help),
        false => mistake(&pair.value, format_args!("`{key}` has no readable value"), help),
    }
}

impl Arg {
    /// The argument in syn's form. The caller knows that its key is a plain name.
    pub(crate) fn of(meta: &Meta) -> Self {
        let key = meta.path().get_ident().cloned().unwrap_or_else(|| format_ident!("_"));
        let value = match meta {
            Meta::Path(_) => Value::Word,
            Meta::List(list) => Value::List(list.tokens.clone()),
            Meta::NameValue(pair) => Value::Is(Box::new(pair.value.clone())),
        };
        Self { key, value }
    }

    /// The same in syn's form.
    pub(crate) fn into_meta(self) -> Meta {
        let path = Path::from(self.key);
        match self.value {
            Value::Word => Meta::Path(path),
            Value::List(tokens) => {
                Meta::List(MetaList { path, delimiter: MacroDelimiter::Paren(Paren::default()), tokens })
            }
            Value::Is(value) => {
                Meta::NameValue(MetaNameValue { path, eq_token: <Token![=]>::default(), value: *value })
            }
        }
    }

    /// The value of `key = value`.
    pub(crate) fn value(&self, example: &str) -> syn::Result<&Expr> {
        match &self.value {
            Value::Is(value) => Ok(value),
            Value::Word | Value::List(_) => {
                let key = &self.key;
                Err(mistake(key, format_args!("`{key}` takes a value"), format_args!("write `{key} = {example}`")))
            }
        }
    }

    /// The path of `key = path`.
    pub(crate) fn path(&self, example: &str) -> syn::Result<Path> {
        let key = &self.key;
        let mut value = self.value(example)?;
        // A path that is an argument of a macro comes in a group without delimiters.
        while let Expr::Group(group) = value {
            value = &group.expr;
        }
        match value {
            Expr::Path(path) if path.qself.is_none() => Ok(path.path.clone()),
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Err(mistake(
                text,
                format_args!("`{key}` takes a path, not a string"),
                format_args!("write `{key} = {}`", text.value()),
            )),
            other => {
                Err(mistake(other, format_args!("`{key}` takes a path"), format_args!("write `{key} = {example}`")))
            }
        }
    }

    /// The name of `key = name`.
    pub(crate) fn ident(&self, example: &str) -> syn::Result<Ident> {
        let (key, path) = (&self.key, self.path(example)?);
        let help = format!("write `{key} = {example}`");
        path.get_ident().cloned().ok_or_else(|| mistake(&path, format_args!("`{key}` takes a plain name"), help))
    }

    /// The text of `key = "text"`.
    pub(crate) fn text(&self, example: &str) -> syn::Result<LitStr> {
        let key = &self.key;
        match self.value(example)? {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Ok(text.clone()),
            other => {
                Err(mistake(other, format_args!("`{key}` takes a string"), format_args!("write `{key} = {example}`")))
            }
        }
    }

    /// The raw list of `key(list)`.
    pub(crate) fn list(&self, example: &str) -> syn::Result<TokenStream> {
        let key = &self.key;
        let help = || format!("write `{key}({example})`");
        match &self.value {
            Value::List(list) if !list.is_empty() => Ok(list.clone()),
            Value::List(_) => Err(mistake(key, format_args!("`{key}` is empty"), help())),
            Value::Word => Err(mistake(key, format_args!("`{key}` takes a list"), help())),
            Value::Is(value) => Err(mistake(value, format_args!("`{key}` takes a list in parentheses"), help())),
        }
    }

    /// The paths of `key(path, path)`.
    pub(crate) fn paths(&self, example: &str) -> syn::Result<Vec<Path>> {
        let list = self.list(example)?;
        let unreadable = |_| {
            let key = &self.key;
            mistake(&list, format_args!("`{key}` takes names"), format_args!("write `{key}({example})`"))
        };
        let paths = Punctuated::<Path, Token![,]>::parse_terminated.parse2(list.clone()).map_err(unreadable)?;
        Ok(paths.into_iter().collect())
    }

    /// The word itself, without a value.
    pub(crate) fn keyword(&self) -> syn::Result<Ident> {
        self.word().map(|()| self.key.clone())
    }

    /// Rejects a value if the key is a mere word.
    pub(crate) fn word(&self) -> syn::Result<()> {
        let key = &self.key;
        match &self.value {
            Value::Word => Ok(()),
            Value::List(_) | Value::Is(_) => {
                Err(mistake(key, format_args!("`{key}` takes no value"), format_args!("write `{key}`")))
            }
        }
    }
}
