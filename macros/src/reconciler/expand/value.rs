//! Expands the function of a step as a value. rustc then reports a misspelt one in the same words everywhere, and therefore once.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::Path;

use crate::reconciler::model::Reconciler;
use crate::reconciler::pipeline::Callee;
use crate::syntax::signature::apart;
use crate::syntax::suggest::nearest;

/// The function as a value. The wiring mentions it too, outside of the scope of variables. If rustc could suggest a similar variable in the
/// pipeline, the two messages would differ, so the path is expanded without variables in scope.
pub(super) fn expand_value(reconciler: &Reconciler, callee: &Callee) -> TokenStream {
    match callee {
        Callee::Path(path) if is_like_a_variable(reconciler, path) => apart(path).into_token_stream(),
        callee => callee.value(),
    }
}

/// Whether the function contains a word similar to this name, which may be a variable.
fn is_like_a_variable(reconciler: &Reconciler, path: &Path) -> bool {
    let Some(name) = path.get_ident().map(ToString::to_string) else { return false };
    let (inputs, body) = (&reconciler.function.sig.inputs, reconciler.function.body.stream());
    let mut words = Vec::new();
    collect_words(quote!(#inputs #body), &mut words);
    words.iter().map(ToString::to_string).any(|word| word != name && nearest(&name, &[&word]).is_some())
}

/// Collects the words that are not called.
fn collect_words(tokens: TokenStream, words: &mut Vec<Ident>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_called = matches!(tokens.peek(), Some(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Parenthesis);
        match token {
            TokenTree::Ident(word) if !is_called => words.push(word),
            TokenTree::Group(group) => collect_words(group.stream(), words),
            TokenTree::Ident(_) | TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}
