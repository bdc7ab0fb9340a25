//! The command that installs the CRDs of this program.

/// The command to install the CRDs, for messages to users.
pub(crate) fn install() -> String {
    let program = std::env::args_os().next().map(std::path::PathBuf::from);
    let program =
        program.as_deref().and_then(std::path::Path::file_name).map(|name| name.to_string_lossy().into_owned());
    format!("{} crds | kubectl apply -f -", program.as_deref().unwrap_or("the-operator"))
}
