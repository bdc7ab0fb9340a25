//! Markers: the types that identify steps and cleanups.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Attribute, GenericParam, Generics, Path, PathArguments, Visibility, WherePredicate};

use crate::syntax::function::Function;
use crate::syntax::krate::Krate;

/// The type with the name of a function. For a method it is in the module of its struct.
#[derive(Clone)]
pub(crate) struct Marker {
    module: Option<Ident>,
    vis: Visibility,
    pub(crate) ident: Ident,
    /// The generics of the function without the lifetimes.
    generics: Generics,
}

impl Marker {
    /// The marker of a function, under the name that its author chose, if there is one.
    pub(crate) fn of(function: &Function, chosen: Option<&Ident>) -> Self {
        let ident = chosen.unwrap_or(&function.sig.ident).clone();
        let mut generics = function.sig.generics.clone();
        generics.params = generics.params.into_iter().filter(|p| !matches!(p, GenericParam::Lifetime(_))).collect();
        if let Some(clause) = &mut generics.where_clause {
            let kept = clause.predicates.iter().filter(|p| !matches!(p, WherePredicate::Lifetime(_)));
            clause.predicates = kept.cloned().collect();
        }
        let (module, vis) = match &function.home {
            Some(home) => (Some(home.module.clone()), home.vis.clone()),
            None => (None, function.vis.clone()),
        };
        Self { module, vis, ident, generics }
    }

    /// Adds the type parameters of a generic cleanup to the path of its step: `make` becomes `make<O>`.
    pub(crate) fn share(&self, mut of: Path) -> Path {
        let names = self.names();
        if let Some(last) = of.segments.last_mut()
            && last.arguments.is_none()
            && !names.is_empty()
        {
            last.arguments = PathArguments::AngleBracketed(syn::parse_quote!(<#(#names),*>));
        }
        of
    }

    /// Whether it has type parameters.
    pub(crate) fn is_generic(&self) -> bool {
        !self.generics.params.is_empty()
    }

    fn names(&self) -> Vec<&Ident> {
        self.generics.params.iter().filter_map(name).collect()
    }

    /// The parameters and bounds of an impl on the marker, with `more` added to the parameters and `asked` to the bounds.
    pub(crate) fn params(&self, more: Option<&Ident>, asked: &TokenStream) -> (TokenStream, TokenStream) {
        let params: Vec<TokenStream> = self
            .generics
            .params
            .iter()
            .map(ToTokens::to_token_stream)
            .chain(more.map(ToTokens::to_token_stream))
            .collect();
        let predicates: Vec<_> = self
            .generics
            .where_clause
            .iter()
            .flat_map(|clause| &clause.predicates)
            .map(ToTokens::to_token_stream)
            .collect();
        let params = if params.is_empty() { quote!() } else { quote!(<#(#params),*>) };
        let bounds =
            if predicates.is_empty() && asked.is_empty() { quote!() } else { quote!(where #(#predicates,)* #asked) };
        (params, bounds)
    }

    /// The definition of the type. Its braces exclude it from the value namespace.
    pub(crate) fn define(&self, attrs: &TokenStream, krate: &Krate) -> TokenStream {
        let Self { vis, ident, .. } = self;
        let params: Vec<GenericParam> = self.generics.params.iter().map(bare).collect();
        let types = self.generics.type_params().map(|param| &param.ident);
        let held = (!params.is_empty()).then(|| {
            quote! { of: #krate::std::marker::PhantomData<fn() -> (#(#types,)*)> }
        });
        let params = (!params.is_empty()).then(|| quote!(<#(#params),*>));
        quote! {
            #attrs
            #[allow(non_camel_case_types, dead_code, clippy::empty_structs_with_brackets)]
            #vis struct #ident #params { #held }
        }
    }
}

/// The parameter without bounds, which only the impls need.
fn bare(param: &GenericParam) -> GenericParam {
    let mut param = param.clone();
    if let GenericParam::Type(ty) = &mut param {
        (ty.colon_token, ty.bounds, ty.attrs) = (None, syn::punctuated::Punctuated::new(), Vec::<Attribute>::new());
    }
    param
}

impl ToTokens for Marker {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (module, ident) = (self.module.iter(), &self.ident);
        let names = self.names();
        let names = (!names.is_empty()).then(|| quote!(<#(#names),*>));
        tokens.extend(quote!(#(#module::)* #ident #names));
    }
}

fn name(param: &GenericParam) -> Option<&Ident> {
    match param {
        GenericParam::Type(param) => Some(&param.ident),
        GenericParam::Const(param) => Some(&param.ident),
        GenericParam::Lifetime(_) => None,
    }
}
