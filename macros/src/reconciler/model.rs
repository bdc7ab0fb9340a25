//! The validated reconciler.

use proc_macro2::Ident;
use syn::{Path, Type};

use super::args::ReconcilerArgs;
use super::check;
use super::pipeline::{self, Call};
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::names::plain;
use crate::syntax::shape::{parse_dependencies, parse_object};

/// What was read, right or wrong.
pub(crate) struct Draft {
    pub(crate) args: ReconcilerArgs,
    pub(crate) function: Function,
    pub(crate) object: Option<Type>,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) context: Option<Ident>,
    pub(crate) calls: Option<Vec<Call>>,
}

/// A reconciler without mistakes.
pub(crate) struct Reconciler {
    pub(crate) args: ReconcilerArgs,
    pub(crate) conditions: Path,
    pub(crate) function: Function,
    pub(crate) name: String,
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) context: Ident,
    pub(crate) calls: Vec<Call>,
}

pub(crate) fn read(args: ReconcilerArgs, function: Function, errors: &mut Errors) -> Draft {
    let what = format!("reconciler `{}`", function.sig.ident);
    check::check_function(&what, &args, &function, errors);
    let object = parse_object(&what, &function, errors);
    let dependencies = parse_dependencies(&what, &function, errors);
    let mut names = None;
    if object.is_some() {
        let context = check::check_context(&what, &function, errors);
        names = function.params().first().and_then(|first| check::named(&first.pat, errors)).zip(context);
    }
    let calls = names.as_ref().and_then(|(object, context)| pipeline::read(&function, object, context, errors));
    Draft { args, function, object, dependencies, context: names.map(|(_, context)| context), calls }
}

impl Draft {
    /// The reconciler, if nothing was wrong.
    pub(crate) fn finish(self, errors: &Errors) -> Result<Reconciler, Box<Self>> {
        let name = plain(&self.function.sig.ident);
        match (self.args.conditions.clone(), self) {
            (
                Some(conditions),
                Self { args, function, object: Some(object), dependencies, context: Some(context), calls: Some(calls) },
            ) if errors.is_empty() => {
                Ok(Reconciler { args, conditions, function, name, object, dependencies, context, calls })
            }
            (_, draft) => Err(Box::new(draft)),
        }
    }
}
