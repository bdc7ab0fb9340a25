//! Blocks of methods: the signatures are parsed, the bodies stay as tokens.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Generics, ImplItem, Path, Signature, Token, Type, Visibility, braced};

use crate::syntax::function::Function;

/// An `impl` block.
pub(crate) struct Block {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) inner: Vec<Attribute>,
    pub(crate) token: Token![impl],
    pub(crate) generics: Generics,
    /// The trait in `impl Trait for ..`.
    pub(crate) of_trait: Option<Path>,
    pub(crate) self_ty: Type,
    pub(crate) items: Vec<Item>,
}

/// An item of the block.
pub(crate) enum Item {
    Function(Box<Function>),
    /// A constant, a type, a macro call.
    Other(TokenStream),
}

impl Parse for Block {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        let attrs = input.call(Attribute::parse_outer)?;
        let token = input.parse()?;
        let mut generics: Generics = input.parse()?;
        let mut self_ty: Type = input.parse()?;
        let mut of_trait = None;
        if input.parse::<Option<Token![for]>>()?.is_some() {
            let Type::Path(path) = self_ty else { return Err(input.error("expected a trait before `for`")) };
            of_trait = Some(path.path);
            self_ty = input.parse()?;
        }
        generics.where_clause = input.parse()?;
        let content;
        braced!(content in input);
        let inner = content.call(Attribute::parse_inner)?;
        let mut items = Vec::new();
        while !content.is_empty() {
            items.push(content.parse()?);
        }
        Ok(Self { attrs, inner, token, generics, of_trait, self_ty, items })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream) -> syn::Result<Self> {
        if is_function(&input.fork()) {
            return Ok(Self::Function(Box::new(input.parse()?)));
        }
        Ok(Self::Other(input.parse::<ImplItem>()?.into_token_stream()))
    }
}

fn is_function(ahead: ParseStream) -> bool {
    ahead.call(Attribute::parse_outer).is_ok()
        && ahead.parse::<Visibility>().is_ok()
        && ahead.parse::<Signature>().is_ok()
}
