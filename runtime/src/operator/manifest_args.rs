//! The arguments of the command `manifests`.

use std::num::NonZeroU32;
use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, ArgMatches, Args, ValueEnum};

use crate::manifests::{Certificates, Part};

/// The arguments of the command `manifests`.
#[derive(Clone, Debug, Args)]
pub(super) struct ManifestArgs {
    /// The image of the operator, with a tag or a digest; required if the output has a Deployment
    #[arg(long, value_name = "IMAGE")]
    pub(super) image: Option<String>,
    /// The namespace in which the operator runs [default: the name of the operator]
    // The name of the global flag, which clap then leaves out here.
    #[arg(id = "namespaces", short, long = "namespace", value_name = "NAMESPACE")]
    pub(super) namespace: Option<String>,
    /// The namespaces that the operator watches; may be repeated, or a list with commas [default: all namespaces]
    #[arg(long = "watch-namespace", value_name = "NAMESPACE", value_delimiter = ',')]
    pub(super) watched: Vec<String>,
    /// The number of pods. With more than one, a lease decides which of them works [default: 1, or 2 if requests of users fail without the
    /// operator]
    #[arg(id = "pods", long = "replicas", value_name = "N", value_parser = replicas)]
    pub(super) replicas: Option<NonZeroU32>,
    /// Uses a lease even with one pod, since the number may be raised later
    // The id of the flag of `run` that uses a lease, which clap then leaves out here: it is also called `--replicas`.
    #[arg(id = "replicas", long = "lease")]
    pub(super) elects: bool,
    /// The number of objects that the operator caches, from which its memory is computed
    #[arg(long, value_name = "N", default_value = "1000")]
    pub(super) objects: u32,
    /// Where the certificate of the webhook server comes from
    #[arg(long, value_name = "SOURCE", default_value = "self", value_parser = certificates())]
    pub(super) certs: Certificates,
    /// Leaves out the Namespace
    #[arg(long)]
    pub(super) no_namespace: bool,
    /// Prints only these parts; may be repeated, or a list with commas [default: all that every cluster needs]
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = parts(), conflicts_with = "out")]
    pub(super) only: Vec<Part>,
    /// Writes files into this folder instead of standard output
    #[arg(long, value_name = "FOLDER")]
    pub(super) out: Option<PathBuf>,
    /// The files in the folder
    #[arg(long, value_name = "FORMAT", default_value = "yaml", requires = "out")]
    pub(super) output: Layout,
    /// Compares a folder that --out wrote with what the program would write now. The exit code is 1, with a diff, if they differ
    #[arg(long, value_name = "FOLDER")]
    pub(super) check: Option<PathBuf>,
    /// Prints the commands that remove the operator, with comments, instead of its objects
    #[arg(long, conflicts_with_all = ["out", "only"])]
    pub(super) uninstall: bool,
}

/// The files in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Layout {
    /// One file for each part
    Yaml,
    /// A base, a component for each part that not every cluster needs, and an overlay to start from
    Kustomize,
    /// A chart
    Helm,
}

/// The parts by their words, so that help and errors list them.
fn parts() -> impl TypedValueParser<Value = Part> {
    let words = Part::ALL.map(|part| PossibleValue::new(part.as_str()).help(part.help()));
    let part = |word: String| Part::ALL.into_iter().find(|part| part.as_str() == word).ok_or("no such part");
    PossibleValuesParser::new(words).try_map(part)
}

fn certificates() -> impl TypedValueParser<Value = Certificates> {
    const CERT_MANAGER: &str = "cert-manager";
    let words = [
        PossibleValue::new("self").help("The operator makes and renews it"),
        PossibleValue::new(CERT_MANAGER).help("cert-manager makes and renews it; its CRDs must be installed"),
    ];
    PossibleValuesParser::new(words).map(|word| match &*word {
        CERT_MANAGER => Certificates::CertManager,
        _ => Certificates::SelfMade,
    })
}

fn replicas(text: &str) -> Result<NonZeroU32, String> {
    let replicas: Option<NonZeroU32> =
        text.parse().ok().filter(|number: &NonZeroU32| i32::try_from(number.get()).is_ok());
    replicas.ok_or_else(|| "write 1 or more; `kubectl scale` stops an operator that is installed".to_owned())
}

/// Arguments of the command that say how the output is written, and not what it contains.
const ABOUT_OUTPUT: [&str; 4] = ["out", "check", "uninstall", "only"];

/// Arguments that become something else than an argument of the program in the pod.
const ABOUT_OBJECTS: [&str; 11] = [
    "config",
    "image",
    "namespaces",
    "watched",
    "pods",
    "replicas",
    "objects",
    "certs",
    "no_namespace",
    "output",
    "listen",
];

/// Flags of `run` without a meaning in a pod.
const OUTSIDE: [&str; 6] = ["kubeconfig", "context", "dry_run", "service", "url", "certificates"];

/// A flag of the command line: its id in clap, and how it is written.
pub(super) struct GivenFlag {
    id: String,
    pub(super) text: String,
}

/// The flags that the command line has, in the order of the help.
pub(super) fn given(command: &clap::Command, matches: &ArgMatches) -> Vec<GivenFlag> {
    let is_flag =
        |arg: &&clap::Arg| matches!(arg.get_action(), ArgAction::Set | ArgAction::Append | ArgAction::SetTrue);
    let is_given =
        |arg: &&clap::Arg| matches.value_source(arg.get_id().as_str()) == Some(clap::parser::ValueSource::CommandLine);
    command.get_arguments().filter(is_flag).filter(is_given).flat_map(|arg| flags(arg, matches)).collect()
}

fn flags(arg: &clap::Arg, matches: &ArgMatches) -> Vec<GivenFlag> {
    let (id, long) = (arg.get_id().to_string(), arg.get_long().unwrap_or_default());
    let flag = |text: String| GivenFlag { id: id.clone(), text };
    match arg.get_action() {
        ArgAction::SetTrue => vec![flag(format!("--{long}"))],
        _ => {
            let values = matches.get_raw(&id).into_iter().flatten();
            values.map(|value| flag(format!("--{long}={}", value.to_string_lossy()))).collect()
        }
    }
}

/// The flags that repeat the output, for the record of a folder.
pub(super) fn recorded(given: &[GivenFlag]) -> Vec<String> {
    let flags = given.iter().filter(|flag| !ABOUT_OUTPUT.contains(&&*flag.id));
    flags.map(|flag| flag.text.clone()).collect()
}

/// A flag that has no effect on a comparison, since the folder has a record of the flags that wrote it.
pub(super) fn ignored_by_check(given: &[GivenFlag]) -> Option<&GivenFlag> {
    given.iter().find(|flag| flag.id != "check")
}

/// The flags for the program in the pod.
///
/// # Errors
/// A flag has no meaning there; the error is the flag.
pub(super) fn for_the_pod(given: &[GivenFlag]) -> Result<Vec<String>, String> {
    if let Some(flag) = given.iter().find(|flag| OUTSIDE.contains(&&*flag.id)) {
        return Err(flag.text.split('=').next().unwrap_or_default().to_owned());
    }
    let own = |flag: &&GivenFlag| {
        let id = &&*flag.id;
        !ABOUT_OUTPUT.contains(id) && !ABOUT_OBJECTS.contains(id) && *id != "webhooks"
    };
    Ok(given.iter().filter(own).map(|flag| flag.text.clone()).collect())
}
