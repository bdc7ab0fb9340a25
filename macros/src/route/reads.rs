//! The parts of the path that a body reads: `request.param("id")`.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use syn::LitStr;

/// What a body does with its request.
#[derive(Default)]
pub(super) struct Reads {
    /// The literals in `request.param("id")`.
    pub(super) params: Vec<LitStr>,
    /// Whether other code may read parts: the request is passed on, or the name of the part is computed.
    pub(super) others: bool,
}

/// Collects the reads of the request with this name.
pub(super) fn find(body: TokenStream, request: &Ident) -> Reads {
    let mut reads = Reads::default();
    collect(body, request, &mut reads);
    reads
}

fn collect(body: TokenStream, request: &Ident, reads: &mut Reads) {
    let tokens: Vec<TokenTree> = body.into_iter().collect();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => collect(group.stream(), request, reads),
            TokenTree::Ident(word) if word == request && !is_field(&tokens[..at]) => match &tokens[at + 1..] {
                [TokenTree::Punct(dot), TokenTree::Ident(method), TokenTree::Group(group), ..]
                    if dot.as_char() == '.' && group.delimiter() == Delimiter::Parenthesis =>
                {
                    match syn::parse2::<LitStr>(group.stream()) {
                        Ok(name) if method == "param" => reads.params.push(name),
                        _ => reads.others |= method == "param",
                    }
                }
                _ => reads.others = true,
            },
            _ => {}
        }
    }
}

/// Whether the tokens before make the next word the name of a field.
fn is_field(before: &[TokenTree]) -> bool {
    matches!(before.last(), Some(TokenTree::Punct(dot)) if dot.as_char() == '.')
}
