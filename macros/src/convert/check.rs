//! The refusals of arguments and of the `impl`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{GenericParam, Type};

use super::args::{ConvertArgs, Fields};
use super::method;
use crate::errors::Errors;
use crate::syntax::block::{Block, Item};
use crate::syntax::function::{Function, keyword};
use crate::syntax::names::path_text;

/// The attribute is on an item without functions.
pub(super) fn wrong_item(item: &TokenStream, errors: &mut Errors) {
    let help = "write it on `impl v1beta1::GitRepository { .. }`";
    match keyword(item) {
        Some(word) => errors.push(&word, format_args!("`#[convert]` belongs on an `impl`, not on `{word}`"), help),
        None => errors.push(item, "`#[convert]` belongs on an `impl`", help),
    }
}

/// The `impl` is one of a type, without a trait.
pub(super) fn check_block(block: &Block, errors: &mut Errors) -> bool {
    let before = errors.count();
    if let Some(of_trait) = &block.of_trait {
        let name = path_text(of_trait);
        let help = "write the functions in an `impl` of their own";
        errors.push(of_trait, format_args!("a conversion is no `impl` of the trait `{name}`"), help);
    }
    if let Some(param) = block.generics.params.first() {
        let ident = match param {
            GenericParam::Lifetime(param) => &param.lifetime.ident,
            GenericParam::Type(param) => &param.ident,
            GenericParam::Const(param) => &param.ident,
        };
        errors.push(param, format_args!("a conversion cannot be generic over `{ident}`"), "use a concrete type");
    }
    if !is_path(&block.self_ty) && block.of_trait.is_none() {
        errors.push(&block.self_ty, "a conversion belongs to a kind", "write the path of the kind");
    }
    errors.count() == before
}

/// Whether the type is a path, which may be an argument of a macro.
pub(super) fn is_path(ty: &Type) -> bool {
    match ty {
        Type::Path(_) => true,
        Type::Group(group) => is_path(&group.elem),
        _ => false,
    }
}

/// A conversion names the version that is stored.
pub(super) fn check_to(args: &ConvertArgs, block: &Block, errors: &mut Errors) {
    let own = block.self_ty.to_token_stream().to_string().replace(' ', "");
    match &args.to {
        None if !args.wrong_to => {
            let help = "name it: `#[convert(to = v1::GitRepository)]`";
            errors.push(
                &block.self_ty,
                format_args!("the conversion of `{own}` does not name the stored version"),
                help,
            );
        }
        Some(to) if path_text(to) == own => {
            let help = "name the version that is stored, and write the `impl` for the other one";
            errors.push(to, format_args!("`{own}` is converted to itself"), help);
        }
        _ => {}
    }
}

/// A field is either stashed or lost.
pub(super) fn check_paths(args: &ConvertArgs, errors: &mut Errors) {
    let stashed = args.stash.iter().flatten();
    for lossy in &args.lossy {
        if let Some(other) = stashed.clone().find(|stashed| covers(stashed, lossy) || covers(lossy, stashed)) {
            let (lost, kept) = (text(lossy), text(other));
            let headline = format!("`{kept}` is stashed, and `{lost}` is lost");
            errors.push(Path(lossy), headline, "leave one of the two paths out");
        }
    }
}

/// Whether the other path is this one, or inside of it.
fn covers(outer: &Fields, inner: &Fields) -> bool {
    inner.starts_with(outer)
}

fn text(fields: &Fields) -> String {
    fields.iter().map(ToString::to_string).collect::<Vec<_>>().join(".")
}

/// The tokens of a path, for the location of an error.
struct Path<'p>(&'p Fields);

impl ToTokens for Path<'_> {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.0.iter().for_each(|field| field.to_tokens(tokens));
    }
}

/// The functions come in pairs.
pub(super) fn check_functions(block: &Block, errors: &mut Errors) {
    let functions: Vec<&Function> = block.items.iter().filter_map(function).collect();
    let names: Vec<String> = functions.iter().map(|function| function.sig.ident.to_string()).collect();
    let mut is_misnamed = false;
    for function in &functions {
        let name = function.sig.ident.to_string();
        if method::NAMES.contains(&name.as_str()) {
            method::check(function, errors);
        } else if let Some(meant) = method::meant(&name, &names) {
            is_misnamed = true;
            let headline = format!("`{name}` is no function of a conversion");
            errors.push(&function.sig.ident, headline, format_args!("did you mean `{meant}`?"));
        }
    }
    if !is_misnamed {
        check_pairs(block, &functions, errors);
    }
}

fn check_pairs(block: &Block, functions: &[&Function], errors: &mut Errors) {
    let find = |name: &str| functions.iter().find(|function| function.sig.ident == name);
    if find("up").or(find("down")).is_none() {
        let help = "write `fn up(old: Spec) -> v1::Spec` and `fn down(new: v1::Spec) -> Spec`";
        return errors.push(&block.self_ty, "a conversion needs `up` and `down`", help);
    }
    for (one, other) in [("up", "down"), ("up_status", "down_status")] {
        for (present, missing) in [(one, other), (other, one)] {
            if let (Some(function), None) = (find(present), find(missing)) {
                let help = format!("write `fn {missing}(..) -> ..`, which converts in the other direction");
                errors.push(&function.sig.ident, format_args!("`{present}` without `{missing}`"), help);
            }
        }
    }
}

pub(super) fn function(item: &Item) -> Option<&Function> {
    match item {
        Item::Function(function) => Some(function),
        Item::Other(_) => None,
    }
}
