//! The template engine: its settings and limits.

use std::io::{self, Write};

use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value};

use super::error::TemplateError;
use super::set::{TemplateFile, Templates};

/// The most instructions of one file.
const FUEL: u64 = 5_000_000;

/// The most bytes that all files print together.
const LONGEST: usize = 32 << 20;

impl Templates {
    /// Parses all files. A test that calls it finds mistakes in the syntax of the templates before any of them is rendered.
    ///
    /// # Errors
    /// A file is no valid template. The error names the file and the line.
    pub fn check(&self) -> Result<(), TemplateError> {
        environment(self).map(drop)
    }
}

/// The engine with all files of the folder.
pub(super) fn environment(templates: &Templates) -> Result<Environment<'static>, TemplateError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Errors name the expression, which is text of the template.
    environment.set_debug(true);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| AutoEscape::Json);
    for TemplateFile { name, text } in templates.files {
        let added = environment.add_template(name, text);
        added.map_err(|error| TemplateError::of_engine(templates.folder, name, &error))?;
    }
    Ok(environment)
}

/// The text of one file. `left`: the number of bytes that may still be printed.
pub(super) fn text_of(
    environment: &Environment<'static>,
    folder: &str,
    name: &str,
    values: &Value,
    left: &mut Limit,
) -> Result<String, TemplateError> {
    let failed = |error| TemplateError::of_engine(folder, name, &error);
    let template = environment.get_template(name).map_err(failed)?;
    let mut output = Output { bytes: Vec::new(), limit: left };
    let ended = template.render_captured_to(values.clone(), &mut output).map(drop);
    let mut bytes = output.bytes;
    bytes.shrink_to_fit();
    ended.map_err(|error| match error.kind() {
        ErrorKind::WriteFailure => {
            let cause = format!("the files print more than {} MiB; look for a loop over too many items", LONGEST >> 20);
            TemplateError::new(format!("{folder}/{name}"), None, cause)
        }
        _ => failed(error),
    })?;
    String::from_utf8(bytes).map_err(|_| TemplateError::new(format!("{folder}/{name}"), None, "it prints no UTF-8"))
}

/// The number of bytes that may still be printed.
pub(super) struct Limit(usize);

impl Default for Limit {
    fn default() -> Self {
        Self(LONGEST)
    }
}

struct Output<'a> {
    bytes: Vec<u8>,
    limit: &'a mut Limit,
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.limit.0.checked_sub(bytes.len());
        self.limit.0 = left.ok_or_else(|| io::Error::other("the limit is reached"))?;
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
