//! Commands of this program, for messages to users.

/// The name under which this program was started.
pub(crate) fn program() -> String {
    let program = std::env::args_os().next().map(std::path::PathBuf::from);
    let name = program.as_deref().and_then(std::path::Path::file_name).map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "the-operator".to_owned())
}

/// The command to install the CRDs.
pub(crate) fn install() -> String {
    format!("{} crds | kubectl apply -f -", program())
}
