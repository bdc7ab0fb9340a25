//! Checks of single arguments: names that Kubernetes rejects, and a concurrency of zero.

use syn::{LitInt, LitStr};

use crate::errors::mistake;
use crate::sub_reconciler::{check_fields, check_selector};
use crate::syntax::names::{KEPT, camel, is_annotation, is_condition_type, is_domain, is_finalizer, is_manager};

/// A finalizer must have a domain, since the API server rejects it otherwise.
pub(crate) fn finalizer(text: LitStr) -> syn::Result<LitStr> {
    let value = text.value();
    if is_finalizer(&value) {
        return Ok(text);
    }
    let help = match value.contains('/') {
        true => "write a domain and a name: `\"example.com/cleanup\"`".to_owned(),
        false => format!("write `\"example.com/{value}\"`"),
    };
    Err(mistake(&text, format_args!("Kubernetes rejects the finalizer `{value}`"), help))
}

/// The API server rejects a selector that it cannot parse.
pub(crate) fn labels(text: LitStr) -> syn::Result<LitStr> {
    check_selector(&text).map(|()| text)
}

/// The API server rejects a field selector that it cannot parse.
pub(crate) fn fields(text: LitStr) -> syn::Result<LitStr> {
    check_fields(&text).map(|()| text)
}

/// The concurrency must be at least one, since nothing would run otherwise.
pub(crate) fn concurrency(number: LitInt) -> syn::Result<LitInt> {
    match number.base10_parse::<u32>() {
        Ok(0) => {
            Err(mistake(number, "a concurrency of 0 would run nothing", "write 1 or more, or leave it out for 16"))
        }
        Ok(passes) => Ok(LitInt::new(&passes.to_string(), number.span())),
        Err(_) => Err(mistake(number, "`concurrency` takes a number of 32 bits", "write `concurrency = 16`")),
    }
}

/// A condition in the status of a foreign kind has a domain, so that it is not one of another writer.
pub(crate) fn domain(text: LitStr) -> syn::Result<LitStr> {
    if is_domain(&text.value()) {
        return Ok(text);
    }
    let headline = format!("`{}` is not a domain", text.value());
    Err(mistake(&text, headline, "write a domain of yours: `\"reaper.example.com\"`"))
}

/// The API server rejects a field manager that is too long or not printable.
pub(crate) fn field_manager(text: LitStr) -> syn::Result<LitStr> {
    if is_manager(&text.value()) {
        return Ok(text);
    }
    let help = "write 1 to 128 printable characters: `\"source-controller\"`";
    Err(mistake(&text, "Kubernetes rejects this field manager", help))
}

/// The API server rejects an annotation without a qualified name.
pub(crate) fn annotation(text: LitStr) -> syn::Result<LitStr> {
    key(text, "annotation", "\"reconcile.example.com/requestedAt\"")
}

/// The check of a key, for labels as well.
pub(crate) fn key(text: LitStr, what: &str, example: &str) -> syn::Result<LitStr> {
    if is_annotation(&text.value()) {
        return Ok(text);
    }
    let headline = format!("Kubernetes rejects the {what} `{}`", text.value());
    Err(mistake(&text, headline, format_args!("write a domain and a name: `{example}`")))
}

/// The summary must be the name of a condition of its own.
pub(crate) fn summary(text: LitStr) -> syn::Result<LitStr> {
    let value = text.value();
    if KEPT.contains(&value.as_str()) {
        let headline = format!("`{value}` belongs to the first reconciler of a kind");
        return Err(mistake(&text, headline, "leave `summary` out, or write for example `summary = \"BackupReady\"`"));
    }
    if !is_condition_type(&value) {
        let word = camel(&value);
        let help = if is_condition_type(&word) { word } else { "BackupReady".to_owned() };
        return Err(mistake(
            &text,
            format_args!("`{value}` is not a condition type"),
            format_args!("write `\"{help}\"`"),
        ));
    }
    Ok(text)
}
