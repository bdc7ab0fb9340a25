//! The argument `on`: which changes of an object count.

use proc_macro2::TokenStream;
use quote::quote;

use crate::errors::{Errors, mistake};
use crate::syntax::args::{Arg, Keys, Value, parse_args};

const KEYS: Keys = Keys { known: &["generation", "labels", "annotations", "any", "status"], many: &[] };

/// The changes that count; unless given, generation, labels and annotations.
#[derive(Default)]
pub(super) struct On {
    /// Each new version counts.
    pub(super) any: bool,
    /// The argument of the reconciler that says the same; `None`: its default.
    pub(super) triggers: Option<TokenStream>,
}

pub(super) fn parse(arg: &Arg) -> syn::Result<On> {
    let list = arg.list("generation, labels")?;
    let mut errors = Errors::default();
    let args = parse_args(list.clone(), &KEYS, &mut errors);
    errors.into_result()?;
    let (mut on, mut triggers) = (On::default(), TokenStream::new());
    let has = |key: &str| args.iter().any(|arg| arg.key == key);
    if let Some(status) = args.iter().find(|arg| arg.key == "status") {
        let help = "the watcher's own status would trigger it; `on(any)` counts each version but its own";
        return Err(mistake(&status.key, "a change of the status alone does not count", help));
    }
    if has("any") {
        if args.len() > 1 {
            return Err(mistake(list, "`any` includes all other changes", "write `on(any)`"));
        }
        on.any = true;
        return Ok(on);
    }
    if !has("generation") {
        let help = format!("write `on(generation, {list})`");
        return Err(mistake(&arg.key, "a change of the generation always counts", help));
    }
    for arg in args.into_iter().filter(|arg| arg.key != "generation") {
        let key = &arg.key;
        triggers.extend(match &arg.value {
            Value::List(names) => quote!(, #key(#names)),
            _ => quote!(, #key),
        });
    }
    on.triggers = Some(quote!(triggers(spec #triggers)));
    Ok(on)
}
