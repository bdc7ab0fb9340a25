//! The validated conversion.

use proc_macro2::Ident;
use syn::{Path, Type};

use super::args::{ConvertArgs, Fields};
use super::check;
use crate::errors::Errors;
use crate::syntax::block::Block;
use crate::syntax::krate::Krate;

/// A valid conversion.
pub(super) struct Conversion {
    pub(super) krate: Krate,
    pub(super) spoke: Type,
    pub(super) hub: Path,
    /// `None`: nothing is stashed; without paths: everything that differs.
    pub(super) stash: Option<Vec<Fields>>,
    pub(super) lossy: Vec<Fields>,
    pub(super) deprecated: Option<String>,
    /// `up` and `down`.
    pub(super) spec: (Ident, Ident),
    /// `up_status` and `down_status`.
    pub(super) status: Option<(Ident, Ident)>,
}

/// A conversion with an error.
pub(super) struct Refused {
    pub(super) krate: Krate,
    /// `None`: no other item can name it.
    pub(super) spoke: Option<Type>,
    pub(super) hub: Option<Path>,
}

pub(super) fn read(args: ConvertArgs, block: &Block, errors: &mut Errors) -> Result<Conversion, Box<Refused>> {
    check::check_paths(&args, errors);
    if check::check_block(block, errors) {
        check::check_to(&args, block, errors);
        check::check_functions(block, errors);
    }
    let find = |name: &str| {
        let functions = block.items.iter().filter_map(check::function);
        functions.map(|function| &function.sig.ident).find(|ident| *ident == name).cloned()
    };
    let ConvertArgs { to, stash, lossy, deprecated, krate, .. } = args;
    let is_plain = block.of_trait.is_none() && block.generics.params.is_empty();
    let spoke = Some(&block.self_ty).filter(|ty| is_plain && check::is_path(ty));
    let refused = Box::new(Refused { krate: krate.clone(), spoke: spoke.cloned(), hub: to.clone() });
    let (Some(hub), Some(spec), 0) = (to, find("up").zip(find("down")), errors.count()) else { return Err(refused) };
    Ok(Conversion {
        krate,
        spoke: block.self_ty.clone(),
        hub,
        stash,
        lossy,
        deprecated: deprecated.map(|text| text.value()),
        spec,
        status: find("up_status").zip(find("down_status")),
    })
}
