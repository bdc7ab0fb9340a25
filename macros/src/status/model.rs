//! The validated status: the author's fields and the derives.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Fields, ItemStruct, Meta, Path, Token, Type};

use super::args::StatusArgs;
use super::{args, check};
use crate::errors::Errors;
use crate::syntax::krate::Krate;

/// The derives of a status.
pub(crate) const DERIVES: [&str; 7] =
    ["Clone", "Debug", "Default", "PartialEq", "Serialize", "Deserialize", "JsonSchema"];

pub(crate) struct Status {
    pub(crate) krate: Krate,
    /// Whether it stores the dependents of steps.
    pub(crate) dependents: bool,
    pub(crate) item: ItemStruct,
    pub(crate) fields: Vec<Field>,
    /// Those of [`DERIVES`] that the author did not write.
    pub(crate) derives: Vec<&'static str>,
    /// Whether the author renames fields for JSON.
    pub(crate) renames: bool,
    pub(crate) draft: Draft,
}

pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    pub(crate) tokens: syn::Field,
    pub(crate) shape: Shape,
    pub(crate) framework: bool,
    /// The only step that writes it.
    pub(crate) step: Option<Path>,
}

/// The type that steps write to.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Draft {
    /// The status itself.
    Status,
    /// A struct with the same fields. A restricted field can be written by one step only.
    Restricted,
}

/// The way in which a field is omitted in JSON.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    /// `Option<T>`: omitted if it is `None`.
    Optional,
    /// A list or a map: omitted if it is empty.
    Empty,
    /// The author's own `#[serde(default)]`.
    Defaulted,
    Required,
}

pub(crate) fn read(
    StatusArgs { krate, dependents }: StatusArgs,
    item: &TokenStream,
    errors: &mut Errors,
) -> Option<Status> {
    let mut item: ItemStruct = match syn::parse2(item.clone()) {
        Ok(item) => item,
        Err(error) => {
            check::refuse_no_struct(item, error, errors);
            return None;
        }
    };
    let mut fields = fields(&mut item.fields, errors);
    let params = check::refuse_generics(&std::mem::take(&mut item.generics), errors);
    // The status is expanded without the parameters and the fields that use them, so that one mistake causes one error.
    fields.retain(|field| !mentions(&field.ty.to_token_stream(), &params));
    if !check::check_fields(&item, errors) {
        return None;
    }
    for field in &fields {
        if check::check_not_kept(&field.ident, dependents, errors) && field.shape == Shape::Required {
            check::refuse_required(&field.ident, &field.ty, errors);
        }
    }
    let present = derives(&item.attrs);
    let derives = DERIVES.into_iter().filter(|name| !present.iter().any(|ident| ident == name)).collect();
    let renames = item.attrs.iter().any(|attr| says(attr, "rename_all"));
    let draft = match fields.iter().any(|field| field.step.is_some()) {
        true => Draft::Restricted,
        false => Draft::Status,
    };
    Some(Status { krate, dependents, item, fields, derives, renames, draft })
}

/// Parses the fields and removes our attributes from them.
fn fields(fields: &mut Fields, errors: &mut Errors) -> Vec<Field> {
    let read = |tokens: &mut syn::Field| {
        let ident = tokens.ident.clone()?;
        let framework = check::KEPT.iter().any(|name| ident == name);
        let step = args::step(&tokens.attrs, errors).filter(|_| !framework);
        tokens.attrs.retain(|attr| !args::ours(attr));
        Some(Field { ident, ty: tokens.ty.clone(), shape: shape(tokens), tokens: tokens.clone(), framework, step })
    };
    fields.iter_mut().filter_map(read).collect()
}

fn shape(field: &syn::Field) -> Shape {
    if field.attrs.iter().any(|attr| ["default", "skip", "flatten"].iter().any(|word| says(attr, word))) {
        return Shape::Defaulted;
    }
    let Type::Path(path) = &field.ty else { return Shape::Required };
    let Some(last) = path.path.segments.last() else { return Shape::Required };
    match last.ident.to_string().as_str() {
        "Option" => Shape::Optional,
        "Vec" | "BTreeMap" | "HashMap" | "BTreeSet" | "HashSet" => Shape::Empty,
        _ => Shape::Required,
    }
}

fn mentions(tokens: &TokenStream, names: &[Ident]) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Ident(ident) => names.contains(&ident),
        TokenTree::Group(group) => mentions(&group.stream(), names),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether a serde attribute contains the word.
pub(crate) fn says(attr: &Attribute, word: &str) -> bool {
    let Meta::List(list) = &attr.meta else { return false };
    list.path.is_ident("serde")
        && list.tokens.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(i) if i == word))
}

/// The derives that the author wrote below the attribute.
fn derives(attrs: &[Attribute]) -> Vec<Ident> {
    let lists = attrs.iter().filter(|attr| attr.path().is_ident("derive"));
    let paths = lists.filter_map(|attr| attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated).ok());
    paths.flatten().filter_map(|path| path.segments.last().map(|segment| segment.ident.clone())).collect()
}
