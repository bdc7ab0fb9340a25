//! The validated reconciler.

use proc_macro2::Ident;
use syn::{Path, Type};

use super::args::ReconcilerArgs;
use super::check;
use super::pipeline::{self, Pipeline};
use super::policy::check_observer;
use crate::errors::Errors;
use crate::syntax::function::Function;
use crate::syntax::names::{plain, snake};
use crate::syntax::signature::{parse_dependencies, parse_object};

/// The parsed reconciler, valid or not.
pub(crate) struct Draft {
    pub(crate) args: ReconcilerArgs,
    pub(crate) function: Function,
    pub(crate) object: Option<Type>,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) context: Option<Ident>,
    pub(crate) pipeline: Option<Pipeline>,
    /// Whether signature and pipeline are valid. Invalid arguments have defaults.
    pub(crate) sound: bool,
}

/// A reconciler with a valid signature and pipeline.
pub(crate) struct Reconciler {
    pub(crate) args: ReconcilerArgs,
    pub(crate) conditions: Path,
    pub(crate) function: Function,
    pub(crate) name: String,
    pub(crate) object: Type,
    pub(crate) dependencies: Vec<Type>,
    pub(crate) context: Ident,
    pub(crate) pipeline: Pipeline,
}

pub(crate) fn read(args: ReconcilerArgs, function: Function, errors: &mut Errors) -> Draft {
    let what = format!("reconciler `{}`", function.home.as_ref().map_or(&function.sig.ident, |home| &home.name));
    check::check_conditions(&what, &args, &function, errors);
    if !args.wrong_policies {
        check_observer(args.policies.as_ref(), args.observe.as_ref(), errors);
    }
    let before = errors.count();
    check::check_function(&what, &function, errors);
    let object = parse_object(&what, &function, errors);
    let dependencies = parse_dependencies(&what, &function, errors);
    check::check_fields(&function, &dependencies, errors);
    let mut names = None;
    if object.is_some() {
        let context = check::check_context(&what, &function, errors);
        names = function.params().first().and_then(|first| check::named(&first.pat, errors)).zip(context);
    }
    let pipeline = names.as_ref().and_then(|(object, context)| pipeline::read(&function, object, context, errors));
    if let Some(pipeline) = &pipeline {
        check::check_methods(&function, pipeline, errors);
    }
    let context = names.map(|(_, context)| context);
    Draft { args, function, object, dependencies, context, pipeline, sound: errors.count() == before }
}

impl Draft {
    /// The reconciler, if signature and pipeline are valid.
    pub(crate) fn finish(self) -> Result<Reconciler, Box<Self>> {
        let name = match &self.function.home {
            Some(home) => snake(&plain(&home.name)),
            None => plain(&self.function.sig.ident),
        };
        match (self.args.conditions.clone(), self) {
            (
                Some(conditions),
                Self {
                    args,
                    function,
                    object: Some(object),
                    dependencies,
                    context: Some(context),
                    pipeline: Some(pipeline),
                    sound: true,
                },
            ) => {
                let args = ReconcilerArgs { krate: args.krate.short(), ..args };
                Ok(Reconciler { args, conditions, function, name, object, dependencies, context, pipeline })
            }
            (_, draft) => Err(Box::new(draft)),
        }
    }
}
