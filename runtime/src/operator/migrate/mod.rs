//! The command `migrate`: writes each object once, so that the API server stores it in the storage version of its CRD.

mod crd;
mod objects;
mod report;

use std::io::Write;
use std::num::NonZeroU32;

use clap::Args;
use kube::Client;

use self::crd::{Installed, read};
use self::report::{Outcome, print};
use super::builder::Operator;
use super::context::client_alone;
use super::error::{Error, Reason, Result};
use super::explain::OutputArgs;

/// The exit code if an object could not be written.
const FAILED: u8 = 1;

/// The options of the command `migrate`.
#[derive(Debug, Args)]
pub(super) struct MigrateArgs {
    /// The kinds, such as `gitrepositories` [default: all kinds whose CRDs belong to the operator]
    #[arg(value_name = "KIND")]
    kinds: Vec<String>,
    /// How many objects are written per second
    #[arg(long, default_value = "50", value_name = "NUMBER")]
    rate: NonZeroU32,
    #[command(flatten)]
    output: OutputArgs,
}

/// A CRD of the program.
struct Wanted {
    name: String,
    /// The names by which the command line finds it.
    words: [String; 3],
    storage: String,
}

/// Migrates the kinds one after the other, prints what was done, and returns the exit code.
///
/// # Errors
/// A kind is unknown, a CRD cannot be read or changed or does not fit the program, or the output cannot be written.
pub(super) async fn migrate(mut operator: Operator, args: &MigrateArgs, out: impl Write + Send) -> Result<u8> {
    let wanted = wanted(&operator, &args.kinds)?;
    let client = client_alone(&mut operator).await?;
    let mut outcomes = Vec::new();
    for wanted in &wanted {
        outcomes.push(one(&client, wanted, args.rate).await?);
    }
    print(out, args.output.output, &outcomes)?;
    Ok(if outcomes.iter().any(Outcome::has_failed) { FAILED } else { 0 })
}

fn wanted(operator: &Operator, kinds: &[String]) -> Result<Vec<Wanted>> {
    let all: Vec<Wanted> = operator.definitions().into_iter().map(Wanted::of).collect();
    if let Some(unknown) = kinds.iter().find(|kind| !all.iter().any(|wanted| wanted.is_named(kind))) {
        let known: Vec<&str> = all.iter().map(|wanted| &*wanted.words[1]).collect();
        let help = match known.is_empty() {
            true => "it has no CRD".to_owned(),
            false => format!("name one of its kinds: {}", known.join(", ")),
        };
        return Err(Error::new(Reason::Config, format!("this operator has no CRD of {unknown}"), help));
    }
    let is_asked = |wanted: &Wanted| kinds.is_empty() || kinds.iter().any(|kind| wanted.is_named(kind));
    Ok(all.into_iter().filter(is_asked).collect())
}

impl Wanted {
    fn of(
        definition: k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
    ) -> Self {
        let (name, spec) = (definition.metadata.name.unwrap_or_default(), definition.spec);
        let storage = spec.versions.into_iter().find(|version| version.storage).map(|version| version.name);
        Self { words: [spec.names.kind, spec.names.plural, name.clone()], name, storage: storage.unwrap_or_default() }
    }

    fn is_named(&self, word: &str) -> bool {
        self.words.iter().any(|name| name.eq_ignore_ascii_case(word))
    }
}

async fn one(client: &Client, wanted: &Wanted, rate: NonZeroU32) -> Result<Outcome> {
    let installed = read(client, &wanted.name).await?;
    if installed.storage != wanted.storage {
        return Err(other_storage(wanted, &installed));
    }
    let before = installed.stored.clone();
    if before == [installed.storage.clone()] {
        return Ok(Outcome::nothing(&wanted.name, installed.storage));
    }
    let written = objects::write_all(client, &installed.resource, rate).await?;
    let stored = match written.failures.is_empty() {
        true => crd::keep_only(client, &wanted.name, &installed.storage).await?,
        false => before.clone(),
    };
    Ok(Outcome { crd: wanted.name.clone(), storage: installed.storage, before, stored, written })
}

fn other_storage(wanted: &Wanted, installed: &Installed) -> Error {
    let headline = format!(
        "the CRD {} stores {}, and this program stores {}: nothing was written",
        wanted.name, installed.storage, wanted.storage
    );
    let help = "apply the CRD of the program that shall run (`crds`), and then run `migrate` of the same program";
    Error::new(Reason::Outdated, headline, help)
}
