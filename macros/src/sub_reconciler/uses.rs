//! The argument `uses`: the calls that a step sends itself, by verb and subresource.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Path, Token};

use crate::errors::mistake;
use crate::syntax::args::Arg;
use crate::syntax::krate::Krate;
use crate::syntax::names::path_text;
use crate::syntax::suggest;

/// `uses(Pod, delete, eviction = create)`.
pub(crate) struct Use {
    pub(crate) kind: Path,
    calls: Vec<Call>,
}

/// `delete` or `eviction = create`.
struct Call {
    subresource: Option<Ident>,
    verb: &'static Verb,
    /// The first word, for errors.
    word: Ident,
}

/// A verb as the author writes it, and its variant.
struct Verb {
    word: &'static str,
    variant: &'static str,
    reads: bool,
}

const VERBS: [Verb; 8] = [
    Verb { word: "get", variant: "Get", reads: true },
    Verb { word: "list", variant: "List", reads: true },
    Verb { word: "watch", variant: "Watch", reads: true },
    Verb { word: "create", variant: "Create", reads: false },
    Verb { word: "update", variant: "Update", reads: false },
    Verb { word: "patch", variant: "Patch", reads: false },
    Verb { word: "delete", variant: "Delete", reads: false },
    Verb { word: "deletecollection", variant: "DeleteCollection", reads: false },
];

/// Subresources whose calls change something, whatever their verb is.
const ACTING: [&str; 4] = ["exec", "attach", "portforward", "proxy"];

pub(crate) fn parse(arg: &Arg) -> syn::Result<Use> {
    let list = arg.list("Pod, eviction = create")?;
    let help = "write for example `uses(Pod, eviction = create)`";
    parse_use.parse2(list.clone()).unwrap_or_else(|_| Err(mistake(list, "`uses` takes a kind and its calls", help)))
}

/// The outer error is a syntax error, the inner one is semantic.
fn parse_use(input: ParseStream) -> syn::Result<syn::Result<Use>> {
    let kind: Path = input.parse()?;
    let mut calls = Vec::new();
    while !input.is_empty() {
        input.parse::<Token![,]>()?;
        if input.is_empty() {
            break;
        }
        match parse_call(input)? {
            Ok(call) => calls.push(call),
            Err(error) => {
                // After a semantic error the remaining tokens are skipped, to avoid a second error.
                let _: TokenStream = input.parse()?;
                return Ok(Err(error));
            }
        }
    }
    Ok(check(Use { kind, calls }))
}

fn parse_call(input: ParseStream) -> syn::Result<syn::Result<Call>> {
    let word = Ident::parse_any(input)?;
    if !input.peek(Token![=]) {
        return Ok(verb(&word).map(|verb| Call { subresource: None, verb, word }));
    }
    input.parse::<Token![=]>()?;
    let verb = verb(&Ident::parse_any(input)?);
    Ok(verb.map(|verb| Call { subresource: Some(word.clone()), verb, word }))
}

fn verb(word: &Ident) -> syn::Result<&'static Verb> {
    let text = word.to_string();
    let found = VERBS.iter().find(|verb| verb.word == text);
    found.ok_or_else(|| {
        let help = match text.as_str() {
            "apply" => "a server-side apply needs two verbs: `create, patch`".to_owned(),
            _ => suggest::help(&text, &VERBS.map(|verb| verb.word)),
        };
        mistake(word, format_args!("unknown verb: `{text}`"), help)
    })
}

fn check(uses: Use) -> syn::Result<Use> {
    let kind = path_text(&uses.kind);
    if uses.calls.is_empty() {
        let help = format!("write for example `uses({kind}, delete)` or `uses({kind}, status = patch)`");
        return Err(mistake(&uses.kind, format_args!("`uses({kind})` declares no call"), help));
    }
    for (i, call) in uses.calls.iter().enumerate() {
        if uses.calls[..i].iter().any(|earlier| earlier.text() == call.text()) {
            let headline = format!("`{}` is listed twice in `uses({kind}, ..)`", call.text());
            return Err(mistake(&call.word, headline, "remove one of them"));
        }
    }
    Ok(uses)
}

impl Call {
    fn text(&self) -> String {
        match &self.subresource {
            Some(subresource) => format!("{subresource} = {}", self.verb.word),
            None => self.verb.word.to_owned(),
        }
    }
}

impl Use {
    /// The first call that changes something, as the author wrote it.
    pub(crate) fn acts(&self) -> Option<&Ident> {
        let acts = |call: &&Call| {
            !call.verb.reads || call.subresource.as_ref().is_some_and(|name| ACTING.contains(&&*name.to_string()))
        };
        self.calls.iter().find(acts).map(|call| &call.word)
    }

    /// The calls, as the relation to the kind.
    pub(crate) fn how(&self, krate: &Krate) -> TokenStream {
        let calls = self.calls.iter().map(|Call { subresource, verb, .. }| {
            let variant = format_ident!("{}", verb.variant);
            let on = subresource.iter().map(ToString::to_string);
            quote!(#krate::DeclaredCall::new(#krate::Verb::#variant) #(.on(#on))*)
        });
        quote!(Uses(&[#(#calls),*]))
    }
}
