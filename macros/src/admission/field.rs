//! The paths of `field!(spec.secret?.name)`: how they are read, and what they expand to.

use proc_macro2::{Delimiter, Group, Ident, Literal, Punct, Span, TokenStream, TokenTree};
use quote::{quote, quote_spanned};
use syn::LitStr;

use crate::errors::{Errors, mistake, mistake_at};
use crate::syntax::hidden::{hidden, hidden_at};
use crate::syntax::names::plain;

/// A part of a path.
enum Part {
    /// A field; after `as`, its name on the wire.
    Member(Ident, Option<LitStr>),
    /// `?`
    Present(Punct),
    /// `[index]`
    At(Group),
}

const HELP: &str = "write for example `field!(spec.team)`, `field!(spec.secret?.name)` or `field!(spec.items[i].name)`";

/// Expands the macro. Its input is the path of the runtime crate, a `;`, and the path of the field.
pub(crate) fn expand(input: TokenStream) -> TokenStream {
    let (mut krate, mut tokens) = (TokenStream::new(), input.into_iter());
    for token in tokens.by_ref() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ';' => break,
            other => krate.extend([other]),
        }
    }
    let krate = quote!(#krate::__private);
    match parse(tokens.collect()) {
        Ok(parts) => expand_parts(&krate, &parts),
        Err(error) => {
            let mut errors = Errors::default();
            errors.add(error);
            let error = errors.take_expr();
            quote!(|_| { #error; #krate::Field::new(#krate::std::vec::Vec::new()) })
        }
    }
}

/// A closure that gives rustc the path to check, and returns the path as a value. The inner closure never runs.
fn expand_parts(krate: &TokenStream, parts: &[Part]) -> TokenStream {
    let (object, at) = (hidden("object"), hidden("at"));
    let steps = parts.iter().map(|part| match part {
        Part::Member(name, _) => {
            let at = hidden_at("at", name.span());
            quote_spanned!(name.span()=> let #at = &#at.#name;)
        }
        Part::Present(mark) => {
            let (at, krate) = (hidden_at("at", mark.span()), located(krate, mark.span()));
            quote_spanned! {mark.span()=>
                let #krate::std::option::Option::Some(#at) = #at else { return #krate::std::option::Option::None };
            }
        }
        Part::At(group) => {
            let (at, index) = (hidden_at("at", group.span()), group.stream());
            quote_spanned!(group.span()=> let #at = &#at[#index];)
        }
    });
    let values = parts.iter().filter_map(|part| match part {
        Part::Member(_, Some(wire)) => Some(quote!(#krate::Part::Wire(#wire))),
        Part::Member(name, None) => {
            let name = plain(name);
            Some(quote!(#krate::Part::Member(#name)))
        }
        Part::At(group) => {
            let index = group.stream();
            Some(quote_spanned!(group.span()=> #krate::Part::at(&(#index))))
        }
        Part::Present(_) => None,
    });
    quote! {
        |#object| {
            let _ = || {
                let #at = #object?;
                #(#steps)*
                #krate::std::option::Option::Some(#at)
            };
            #krate::Field::new(#krate::std::vec![#(#values),*])
        }
    }
}

/// The path at another place, so that rustc points there. Its hygiene is retained.
fn located(krate: &TokenStream, span: Span) -> TokenStream {
    let tokens = krate.clone().into_iter().map(|mut token| {
        token.set_span(span.resolved_at(token.span()));
        token
    });
    tokens.collect()
}

fn parse(tokens: TokenStream) -> syn::Result<Vec<Part>> {
    let mut tokens = tokens.into_iter().peekable();
    let Some(first) = tokens.next() else {
        return Err(mistake_at(Span::call_site(), "`field!` needs the path of a field", HELP));
    };
    let mut parts = vec![Part::Member(member(first)?, None)];
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Punct(punct) if punct.as_char() == '.' => match tokens.next() {
                Some(next) => parts.push(Part::Member(member(next)?, None)),
                None => return Err(mistake(punct, "a field follows the `.`", HELP)),
            },
            TokenTree::Punct(punct) if punct.as_char() == '?' => parts.push(Part::Present(punct)),
            TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => match group.stream().is_empty() {
                true => return Err(mistake(group, "the index or the key is missing", HELP)),
                false => parts.push(Part::At(group)),
            },
            TokenTree::Ident(word) if word == "as" => match (parts.last_mut(), tokens.next().map(TokenStream::from)) {
                (Some(Part::Member(_, wire)), Some(name)) => *wire = Some(wire_name(&name)?),
                _ => {
                    return Err(mistake(
                        word,
                        "a name on the wire follows `as`",
                        "write for example `spec.kind_ as \"kind\"`",
                    ));
                }
            },
            other => return Err(mistake(&other, format_args!("`{other}` is no part of a path"), HELP)),
        }
    }
    Ok(parts)
}

fn wire_name(token: &TokenStream) -> syn::Result<LitStr> {
    syn::parse2(token.clone())
        .map_err(|_| mistake(token, "the name on the wire is a text", "write for example `spec.kind_ as \"kind\"`"))
}

fn member(token: TokenTree) -> syn::Result<Ident> {
    match token {
        TokenTree::Ident(name) => Ok(name),
        TokenTree::Literal(literal) => Err(unnamed(&literal)),
        other => Err(mistake(&other, format_args!("`{other}` is not the name of a field"), HELP)),
    }
}

fn unnamed(literal: &Literal) -> syn::Error {
    let help = "fields on the wire have names: give the struct named fields";
    mistake(literal, format_args!("`{literal}` is not the name of a field"), help)
}

/// The paths of all `field!(..)` in a body, in the form of the wiring: `spec.items[].name`, `spec.=kind` for a name on the wire.
pub(super) fn find(body: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let before = |n: usize| at.checked_sub(n).map(|at| tokens[at].to_string());
        if before(1).as_deref() == Some("!") && before(2).as_deref() == Some("field") {
            found.extend(parse(group.stream()).ok().map(|parts| text(&parts)));
        } else {
            found.extend(find(group.stream()));
        }
    }
    found.sort();
    found.dedup();
    found
}

fn text(parts: &[Part]) -> String {
    let parts = parts.iter().fold(String::new(), |text, part| match part {
        Part::Member(_, Some(wire)) => format!("{text}.={}", wire.value()),
        Part::Member(name, None) => format!("{text}.{}", plain(name)),
        Part::At(_) => format!("{text}[]"),
        Part::Present(_) => text,
    });
    parts.trim_start_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_paths_of_a_body_are_found_each_once() {
        let body = quote! {
            if a { cx.deny(field!(spec.team), "x") }
            cx.deny(field!(spec.team), "x");
            items.iter().enumerate().for_each(|(i, _)| { cx.deny(evenkeel::field!(spec.items[i].r#type?.name), "y") });
            cx.deny(field!(spec.kind_ as "kind"), "z"); field(spec.x); field!(4);
        };
        assert_eq!(find(body), ["spec.=kind", "spec.items[].type.name", "spec.team"]);
    }

    #[test]
    fn other_tokens_are_no_path() {
        for tokens in [
            quote!(),
            quote!(spec.),
            quote!(spec[]),
            quote!(spec + 1),
            quote!(.spec),
            quote!(spec as x),
            quote!(spec.0),
        ] {
            assert!(parse(tokens.clone()).is_err(), "{tokens}");
        }
    }
}
