//! The command `manifests`: prints objects, writes a folder, or compares one.

use std::path::Path;

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::manifest_args::{GivenFlag, Layout, ManifestArgs, for_the_pod, ignored_by_check, recorded};
use super::manifest_parts::refused;
use super::print::{print, unwritten};
use crate::manifests::{
    Document, Folder, Invalid, ManifestOptions, ManifestSet, Part, RELEASE_NAMESPACE, Record, chart, check_namespace,
    kustomization, uninstall,
};

/// An image for output without a Deployment.
const NO_IMAGE: &str = "none";

/// What the command line gives.
pub(super) struct Given {
    pub(super) args: Box<ManifestArgs>,
    /// All flags, as they were written.
    pub(super) flags: Vec<GivenFlag>,
    pub(super) listen: Option<std::net::SocketAddr>,
    pub(super) webhooks: Option<std::net::SocketAddr>,
}

/// Runs the command; `given` is not that of `--check`.
///
/// # Errors
/// A value is invalid, or the output cannot be written.
pub(super) fn run(operator: &Operator, given: &Given) -> Result {
    let args = &given.args;
    if let Some(out) = &args.out {
        let written = folder(operator, given)?.write(out, recorded(&given.flags));
        return written.map_err(refused);
    }
    let set = operator.manifest_set(&options(operator, given)?)?;
    if args.uninstall {
        return print(&uninstall(&documents(&set)?, None));
    }
    let text = set.text(&args.only).map_err(unwritten)?;
    print(if text.is_empty() { "# this operator has no such objects\n" } else { &text })
}

/// How the folder of `--check` was written.
///
/// # Errors
/// The folder has no record, or there are other flags.
pub(super) fn record(folder: &Path, flags: &[GivenFlag]) -> Result<Record> {
    if let Some(flag) = ignored_by_check(flags) {
        let headline = format!("`{}` has no effect on `--check`", flag.text);
        let help = "leave it out: the folder has a record of the flags that wrote it";
        return Err(refused(Invalid::new(headline, help)));
    }
    Record::read(folder).map_err(refused)
}

/// The error for a record whose flags the program does not accept.
pub(super) fn outdated(folder: &Path, error: &clap::Error) -> Error {
    let cause = error.to_string();
    let cause = cause.lines().next().unwrap_or_default().trim_start_matches("error: ");
    let headline = format!("{} was written with flags that this program does not accept: {cause}", folder.display());
    refused(Invalid::new(headline, "write the folder again, with `manifests --out`"))
}

/// Compares a folder with what `given`, which is read from its record, would write.
///
/// # Errors
/// They differ. The diff is on standard output.
pub(super) fn check(operator: &Operator, given: &Given, place: &Path, record: &Record) -> Result {
    let differences = folder(operator, given)?.differences(place, record);
    if differences.is_empty() {
        return Ok(());
    }
    print(&differences)?;
    let headline = format!("{} is not what this program writes", place.display());
    let help = "write it again with `manifests --out`, and put changes into `.manifests(..)` of the program or into an overlay";
    Err(Error::new(Reason::Manifests, headline, help))
}

fn folder(operator: &Operator, given: &Given) -> Result<Folder> {
    let mut options = options(operator, given)?;
    let layout = given.args.output;
    if layout == Layout::Helm {
        // The values of a chart set both.
        options.elects = true;
        options.namespace = RELEASE_NAMESPACE.to_owned();
    }
    let documents = documents(&operator.manifest_set(&options)?)?;
    let folder = match layout {
        Layout::Yaml => Folder::of_parts(&documents),
        Layout::Kustomize => kustomization(&documents, &options.image),
        Layout::Helm => {
            let definitions: Vec<Document> = documents.iter().filter(|one| one.part == Part::Crds).cloned().collect();
            let notes = uninstall(&definitions, Some(&operator.name));
            chart(&documents, &operator.name, operator.version.as_deref(), &notes)
        }
    };
    folder.map_err(unwritten)
}

fn documents(set: &ManifestSet) -> Result<Vec<Document>> {
    set.documents().map_err(|error| {
        let help = "check what `.manifests(..)` of the program puts into it";
        refused(Invalid::new(format!("an object cannot be written: {error}"), help))
    })
}

fn options(operator: &Operator, given: &Given) -> Result<ManifestOptions> {
    let args = &given.args;
    let needs_image = !args.uninstall && (args.only.is_empty() || args.only.contains(&Part::Workload));
    let image = match &args.image {
        Some(image) => image,
        None if needs_image => {
            let help = "add `--image`, with a tag or a digest, such as `--image ghcr.io/example/greeter:1.2.0`";
            return Err(refused(Invalid::new("the Deployment has no image", help)));
        }
        None => NO_IMAGE,
    };
    let namespace = args.namespace.clone().unwrap_or_else(|| operator.name.to_string());
    for namespace in &operator.namespaces {
        check_namespace(namespace).map_err(refused)?;
    }
    let mut options = ManifestOptions::new(image, namespace);
    options.replicas = args.replicas;
    options.elects = args.elects;
    options.objects = args.objects;
    options.certificates = args.certs;
    options.create_namespace = !args.no_namespace;
    options.listen = given.listen.unwrap_or(options.listen);
    options.webhooks = given.webhooks.unwrap_or(options.webhooks);
    options.arguments = for_the_pod(&given.flags).map_err(|flag| {
        refused(Invalid::new(format!("`{flag}` has no effect in a pod"), "leave it out of `manifests`"))
    })?;
    Ok(options)
}
