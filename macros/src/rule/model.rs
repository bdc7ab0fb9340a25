//! The validated rule.

use proc_macro2::{Ident, TokenStream};
use syn::{Block, Pat, Path};

use super::args::{Fields, RuleArgs};
use super::check;
use super::expression::Reader;
use super::form::Form;
use crate::errors::Errors;
use crate::syntax::docs;
use crate::syntax::function::Function;
use crate::syntax::krate::Krate;

pub(super) struct Rule {
    pub(super) krate: Krate,
    pub(super) of: Path,
    pub(super) at: Fields,
    pub(super) field: Fields,
    pub(super) message: Option<String>,
    pub(super) reason: Option<String>,
    pub(super) form: Form,
    /// The body, as a constant.
    pub(super) expression: TokenStream,
}

/// A rule with an error.
pub(super) struct Refused {
    pub(super) krate: Krate,
    pub(super) of: Option<Path>,
    /// Whether rustc would report the body as well.
    pub(super) drops_body: bool,
}

pub(super) fn read(args: RuleArgs, function: &Function, errors: &mut Errors) -> Result<Rule, Refused> {
    let name = &function.sig.ident;
    let what = format!("rule `{name}`");
    check::check_of(&args, name, errors);
    check::check_shape(&what, &function.sig, errors);
    let form = check::check_params(&what, &args, function, errors);
    if let Some(form) = &form {
        check::check_texts(&args, form, errors);
    }
    let RuleArgs { of, at, field, message, reason, krate, .. } = args;
    let refused = |drops_body| Refused { krate: krate.clone(), of: of.clone(), drops_body };
    let Some((form, kind)) = form.zip(of.clone()).filter(|_| errors.count() == 0) else {
        return Err(refused(false));
    };
    // rustc reports a body that cannot be parsed.
    let body = &function.body;
    let Ok(block) = syn::parse2::<Block>(quote::quote!(#body)) else { return Err(refused(false)) };
    let mut reader = Reader::new(&krate, parameters(function), errors);
    let expression = reader.block(&block);
    let drops_body = reader.has_unknown_name;
    if let (Form::Part { old: true, .. }, false, Some(_)) = (&form, reader.uses_old, &expression) {
        let old = function.params().last().map(|old| &old.pat);
        let help = "leave it out: the rule is then checked for new objects, too";
        errors.push(old, format_args!("{what} does not use the old value"), help);
    }
    let Some(expression) = expression.filter(|_| errors.count() == 0) else {
        return Err(refused(drops_body));
    };
    let text = |literal: Option<syn::LitStr>| literal.map(|literal| literal.value());
    let doc = docs::sentence(&docs::text(&function.attrs));
    let doc = Some(doc.trim_end_matches('.').to_owned()).filter(|doc| !doc.is_empty());
    Ok(Rule {
        of: kind,
        at: at.unwrap_or_default(),
        field: field.unwrap_or_default(),
        message: text(message).or(doc),
        reason: text(reason),
        form,
        expression,
        krate,
    })
}

/// The names of the parameters, in the order new, old, request.
fn parameters(function: &Function) -> Vec<Option<Ident>> {
    let params = function.params();
    let name = |pat: &Pat| match pat {
        Pat::Ident(name) => Some(name.ident.clone()),
        _ => None,
    };
    params.iter().map(|param| name(&param.pat)).collect()
}
