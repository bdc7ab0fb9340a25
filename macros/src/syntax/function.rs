//! Functions with a parsed signature and the body as tokens: parsing is cheap, and an incomplete body causes no error.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, FnArg, PatType, Signature, Type, TypeReference, Visibility};

use crate::syntax::docs;

/// A function with a raw body.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: Group,
    /// Set for a method of a reconciler struct.
    pub(crate) home: Option<Home>,
    /// For a generated function: the code of the author that it calls with its context.
    pub(crate) called: Option<Group>,
}

/// The struct whose `impl` contains a method.
#[derive(Clone)]
pub(crate) struct Home {
    pub(crate) ty: Type,
    /// Its name without the path.
    pub(crate) name: Ident,
    /// The module of the markers of its methods.
    pub(crate) module: Ident,
    /// The visibility of that module: the same as that of the pipeline.
    pub(crate) outer: Visibility,
    /// The same visibility, relative to the module.
    pub(crate) vis: Visibility,
    /// All methods of the `impl`.
    pub(crate) methods: Vec<Ident>,
    /// The steps among them.
    pub(crate) steps: Vec<Ident>,
}

impl Parse for Function {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        Ok(Self {
            attrs: input.call(Attribute::parse_outer)?,
            vis: input.parse()?,
            sig: input.parse()?,
            body: input.parse()?,
            home: None,
            called: None,
        })
    }
}

impl ToTokens for Function {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Self { attrs, vis, sig, body, home: _, called: _ } = self;
        tokens.extend(quote!(#(#attrs)* #vis #sig #body));
    }
}

impl Function {
    /// The code that shows what the function does with its context.
    pub(crate) fn code(&self) -> &Group {
        self.called.as_ref().unwrap_or(&self.body)
    }

    /// The parameters without the receiver.
    pub(crate) fn params(&self) -> Vec<&PatType> {
        let typed = self.sig.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(typed) => Some(typed),
            FnArg::Receiver(_) => None,
        });
        typed.collect()
    }

    /// The reconciler as a type: the struct of the method, or the type with the name of the function.
    pub(crate) fn subject(&self) -> TokenStream {
        match &self.home {
            Some(home) => home.ty.to_token_stream(),
            None => self.sig.ident.to_token_stream(),
        }
    }

    /// The attributes that generated items inherit: doc comments, `#[cfg]` and lints.
    pub(crate) fn inherited(&self) -> TokenStream {
        let kept = self
            .attrs
            .iter()
            .filter(|attr| ["doc", "cfg", "allow", "deprecated"].iter().any(|name| attr.path().is_ident(name)));
        quote!(#(#kept)*)
    }

    /// The same for the type with the name of the function. A separate paragraph of its docs describes the type.
    pub(crate) fn inherited_as(&self, what: &str) -> TokenStream {
        let (inherited, apart) = (self.inherited(), if docs::text(&self.attrs).is_empty() { "" } else { "\n\n" });
        let doc = format!("{apart}As a type: {what}");
        quote!(#inherited #[doc = #doc])
    }
}

const KINDS: [&str; 10] = ["struct", "enum", "union", "impl", "mod", "trait", "type", "static", "use", "macro_rules"];

/// Whether the item is an `impl`.
pub(crate) fn is_impl(item: &TokenStream) -> bool {
    let first = item.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if ident == "fn" || KINDS.iter().any(|kind| ident == kind) => Some(ident),
        _ => None,
    });
    first.is_some_and(|word| word == "impl")
}

/// The keyword of an item that is not a function: `struct`, `impl`.
pub(crate) fn keyword(item: &TokenStream) -> Option<Ident> {
    item.clone().into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if KINDS.iter().any(|kind| ident == kind) => Some(ident),
        _ => None,
    })
}

/// The reference type, if the type is `&T`.
pub(crate) fn behind(ty: &Type) -> Option<&TypeReference> {
    match ty {
        Type::Reference(reference) => Some(reference),
        Type::Paren(paren) => behind(&paren.elem),
        Type::Group(group) => behind(&group.elem),
        _ => None,
    }
}
