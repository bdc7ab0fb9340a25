//! Whether a function may delete objects through its context, for the RBAC rules of the kinds that its step owns.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};

/// Whether the body calls a method `delete..`, or hands its context to a function that may.
pub(crate) fn may_delete(body: &Group, context: Option<&Ident>) -> bool {
    context.is_some_and(|context| mentions(body.stream(), context))
}

fn mentions(tokens: TokenStream, context: &Ident) -> bool {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let found = match &token {
            TokenTree::Group(group) => mentions(group.stream(), context),
            TokenTree::Ident(ident) if ident == context => {
                !matches!(tokens.peek(), Some(TokenTree::Punct(dot)) if dot.as_char() == '.')
            }
            TokenTree::Ident(ident) => ident.to_string().starts_with("delete"),
            _ => false,
        };
        if found {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use proc_macro2::{Delimiter, Span};
    use quote::quote;

    use super::*;

    fn deletes(body: TokenStream) -> bool {
        may_delete(&Group::new(Delimiter::Brace, body), Some(&Ident::new("cx", Span::call_site())))
    }

    #[test]
    fn only_a_deletion_or_a_passed_on_context_counts() {
        assert!(!deletes(quote!(cx.apply(&secret(object)).await?; cx.set(on::A, True, "Deleted", "m"); Ok(()))));
        assert!(deletes(quote!(if old {
            cx.delete::<Secret>("a").await?;
        })));
        assert!(deletes(quote!(retried!(cx.delete_in::<Secret>("ns", "a")))));
        assert!(deletes(quote!(helper(object, cx).await)));
        assert!(deletes(quote!(let other = &mut *cx;)));
    }
}
