//! The arguments of the command `render`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The arguments of the command `render`.
#[derive(Clone, Debug, Args)]
pub(in crate::operator) struct RenderArgs {
    /// The file with the object, as YAML or JSON; `-` is standard input. An object without a namespace gets that of --namespace, or `default`
    #[arg(long, value_name = "FILE")]
    pub(super) object: PathBuf,
    /// A file with objects that the steps read, such as Secrets; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(super) with: Vec<PathBuf>,
    /// The output format
    #[arg(short, long, default_value = "yaml", value_name = "FORMAT")]
    pub(super) output: RenderFormat,
    /// Prints the values of Secrets, which are hidden otherwise
    #[arg(long)]
    pub(super) show_secrets: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum RenderFormat {
    /// One document for each object, with comments that name its step and its wave
    Yaml,
    /// A List of the objects
    Json,
}
