//! The functions that are available to rules: those of [`kube_cel`], and the few that it lacks.

use std::sync::{Arc, LazyLock};

use kube_cel::KubeCelExt;
use kube_cel::cel::extractors::Arguments;
use kube_cel::cel::{Context, ExecutionError, ResolveResult, Value as Cel};

pub(super) static FUNCTIONS: LazyLock<Context<'static>> = LazyLock::new(|| {
    let mut context = Context::default().with_all();
    context.add_function("bool", boolean);
    context.add_function("type", type_of);
    context
});

fn first(args: &[Cel]) -> Result<&Cel, ExecutionError> {
    args.first().ok_or_else(|| ExecutionError::invalid_argument_count(1, 0))
}

fn boolean(Arguments(args): Arguments) -> ResolveResult {
    match first(&args)? {
        Cel::Bool(truth) => Ok(Cel::Bool(*truth)),
        Cel::String(text) if ["true", "True", "TRUE", "t", "1"].contains(&text.as_str()) => Ok(Cel::Bool(true)),
        Cel::String(text) if ["false", "False", "FALSE", "f", "0"].contains(&text.as_str()) => Ok(Cel::Bool(false)),
        _ => Err(ExecutionError::function_error("bool", "no bool")),
    }
}

fn type_of(Arguments(args): Arguments) -> ResolveResult {
    let name = match first(&args)? {
        Cel::Bool(_) => "bool",
        Cel::Bytes(_) => "bytes",
        Cel::Float(_) => "double",
        Cel::Int(_) => "int",
        Cel::List(_) => "list",
        Cel::Map(_) => "map",
        Cel::Null => "null_type",
        Cel::String(_) => "string",
        Cel::UInt(_) => "uint",
        _ => "type",
    };
    Ok(Cel::String(Arc::new(name.to_owned())))
}
