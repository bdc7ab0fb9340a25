//! Reads a configuration file.

use std::io;
use std::path::Path;

use super::problem::Problem;

/// The largest file, in bytes: that of a ConfigMap.
const LARGEST: u64 = 1024 * 1024;

const HELP: &str = "check the path of `--config` and the mount of the ConfigMap";

/// Reads the file without blocking the thread.
///
/// # Errors
/// The file cannot be read, is too large, or is no text.
pub(crate) async fn read(path: &Path) -> Result<String, Problem> {
    let path = path.to_owned();
    let read = tokio::task::spawn_blocking(move || read_once(&path)).await;
    read.unwrap_or_else(|_| Err(Problem::new("the file cannot be read", HELP)))
}

/// Reads the file.
///
/// # Errors
/// Those of [`read`].
pub(crate) fn read_once(path: &Path) -> Result<String, Problem> {
    let about = std::fs::metadata(path).map_err(|error| failed(&error))?;
    // Reading a pipe or a device may never end.
    if !about.is_file() {
        return Err(Problem::new("the path is not that of a file", HELP));
    }
    if about.len() > LARGEST {
        return Err(Problem::new("the file has more than 1 MiB", "make it smaller"));
    }
    let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|_| Problem::new("the file is not UTF-8", "write it as UTF-8 text"))
}

fn failed(error: &io::Error) -> Problem {
    match error.kind() {
        io::ErrorKind::NotFound => Problem::new("the file does not exist", HELP),
        _ => Problem::new(format!("the file cannot be read: {error}"), HELP),
    }
}
