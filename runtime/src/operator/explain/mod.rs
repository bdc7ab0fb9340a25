//! The commands `explain` and `status`: the objects as the program understands them. They change nothing.

mod age;
mod condition;
mod counted;
mod event;
mod object;

use std::io::Write;

use clap::{Args, ValueEnum};
use kube::api::{ApiResource, DynamicObject};
use kube::{Api, Client};
use serde::Serialize;

#[cfg(feature = "lease")]
pub(super) use self::age::age;
pub(super) use self::counted::status;
pub(super) use self::object::explain;
use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::print::unwritten;
use crate::client::why;
use crate::introspection::ReconcilerInfo;
use crate::wiring::KindInfo;

/// The options of the command `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The kind of the object, such as `gitrepository` or `gitrepositories`
    #[arg(value_name = "KIND")]
    pub(super) kind: String,
    /// The name of the object
    #[arg(value_name = "NAME")]
    pub(super) name: String,
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

/// The options of the command `status`.
#[derive(Debug, Args)]
pub(super) struct StatusArgs {
    #[command(flatten)]
    pub(super) output: OutputArgs,
}

#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// The output format
    #[arg(short, long, default_value = "text", value_name = "FORMAT")]
    pub(super) output: Output,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Output {
    /// For people
    Text,
    /// For programs
    Json,
}

/// The reconcilers of a kind of this operator.
fn reconcilers(operator: &Operator, kind: &str) -> Result<Vec<ReconcilerInfo>> {
    let all = operator.introspect();
    let is_named = |known: &&ReconcilerInfo| {
        let resource = &known.kind.resource;
        let full = format!("{}.{}", resource.plural, resource.group);
        [&resource.kind, &resource.plural, &full].iter().any(|name| name.eq_ignore_ascii_case(kind))
    };
    let named: Vec<ReconcilerInfo> = all.iter().filter(is_named).cloned().collect();
    if !named.is_empty() {
        return Ok(named);
    }
    let mut kinds: Vec<&str> = all.iter().map(|known| known.kind.resource.kind.as_str()).collect();
    kinds.dedup();
    let headline = format!("this operator does not reconcile {kind}");
    let help = match kinds.is_empty() {
        true => "it has no reconciler".to_owned(),
        false => format!("name one of its kinds: {}", kinds.join(", ")),
    };
    Err(Error::new(Reason::Config, headline, help))
}

fn api(client: &Client, kind: &KindInfo, namespace: Option<&str>) -> Api<DynamicObject> {
    let resource: &ApiResource = &kind.resource;
    match namespace {
        Some(namespace) if kind.namespaced => Api::namespaced_with(client.clone(), namespace, resource),
        _ => Api::all_with(client.clone(), resource),
    }
}

/// The error of a request.
fn unread(what: &str, error: &kube::Error) -> Error {
    let (reason, help) = match error {
        kube::Error::Api(status) if status.code == 404 => (Reason::Config, "check the name and the namespace (`-n`)"),
        kube::Error::Api(status) if status.code == 403 => (Reason::Forbidden, "grant the right to read it"),
        _ => (Reason::Unreachable, "check the server in the kubeconfig, and that it is running"),
    };
    Error::new(reason, format!("{what} cannot be read: {}", why(error)), help)
}

/// Prints the text, or the value as JSON.
pub(super) fn print<T: Serialize>(mut out: impl Write, output: Output, value: &T, text: &str) -> Result {
    let text = match output {
        Output::Text => text.to_owned(),
        Output::Json => serde_json::to_string_pretty(value).map_err(std::io::Error::other).map_err(unwritten)? + "\n",
    };
    write(&mut out, &text)
}

/// Prints the text.
pub(super) fn write(out: &mut impl Write, text: &str) -> Result {
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(unwritten)
}
