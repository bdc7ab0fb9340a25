//! A program that prints manifests: it runs twice if its input has changed, and not at all otherwise.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::memo::{self, Fingerprint};
use super::process::{self, Ended, Failure, Limits};
use crate::pipeline::dependents::repeat::differences;
use crate::pipeline::dependents::source::{MOST_BYTES, SourceError, parsed};
use crate::pipeline::dependents::yaml::documents;

/// The time limit of a run.
pub(super) const TIME: Duration = Duration::from_secs(60);
/// The longest message of a program, in characters.
const LONGEST: usize = 300;

/// Changes the objects that a program has printed.
pub(super) type Convert = fn(Vec<Value>) -> Result<Vec<Value>, SourceError>;

/// A program with its input.
#[derive(Clone)]
pub(super) struct Program {
    pub(super) command: PathBuf,
    pub(super) arguments: Vec<OsString>,
    /// The values that it reads from its standard input.
    pub(super) values: Value,
    /// The folder from which it reads.
    pub(super) folder: PathBuf,
    pub(super) time: Duration,
}

impl Program {
    /// The manifests as YAML.
    ///
    /// # Errors
    /// The program fails, is killed, or prints different objects for the same input.
    pub(super) async fn manifests(self, convert: Convert) -> Result<String, SourceError> {
        // The run blocks. While a thread for blocking work is busy, a paused clock of tokio does not advance.
        let work = tokio::task::spawn_blocking(move || self.run(convert));
        let output = work.await.map_err(|_| SourceError::Failed("it was interrupted".into()))??;
        Ok((*output).to_owned())
    }

    fn run(&self, convert: Convert) -> Result<Arc<str>, SourceError> {
        let fingerprint = self.fingerprint()?;
        if let Some(output) = memo::found(&fingerprint) {
            return Ok(output);
        }
        let objects = convert(self.objects()?)?;
        if let Some(fields) = differences(&objects, &convert(self.objects()?)?) {
            let cure =
                "print the same for the same values, or set `evenkeel.dev/reconcile-policy: once` for the object";
            return Err(SourceError::Invalid(format!("a second run prints something else: {fields}; {cure}")));
        }
        let output = objects.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n---\n");
        memo::keep(fingerprint, &output);
        Ok(output.into())
    }

    fn fingerprint(&self) -> Result<Fingerprint, SourceError> {
        let values = self.values.to_string();
        let mut parts = vec![self.command.as_os_str().as_encoded_bytes(), values.as_bytes()];
        parts.extend(self.arguments.iter().map(|argument| argument.as_encoded_bytes()));
        memo::fingerprint(&parts, &self.folder).map_err(|error| {
            SourceError::Failed(format!("its folder {} cannot be read: {error}", self.folder.display()))
        })
    }

    /// The objects of one run.
    fn objects(&self) -> Result<Vec<Value>, SourceError> {
        let input = if self.values.is_null() { Vec::new() } else { self.values.to_string().into_bytes() };
        let limits = Limits { time: self.time, output: MOST_BYTES as u64 };
        let ended = process::run(&mut self.process(), input, limits).map_err(|failure| self.failed(&failure))?;
        if !ended.status.success() {
            return Err(self.refused(&ended));
        }
        let output = String::from_utf8(ended.output).map_err(|_| SourceError::Invalid("it prints no UTF-8".into()))?;
        let objects = parsed(&output, documents)?;
        match objects.iter().all(Value::is_object) {
            true => Ok(objects),
            false => Err(SourceError::Invalid("a document is no object; write `apiVersion`, `kind` ..".into())),
        }
    }

    /// The process without the environment of the operator, which may hold credentials and lead to the cluster.
    fn process(&self) -> Command {
        let mut command = Command::new(&self.command);
        command.args(&self.arguments).env_clear().env("HOME", "/nonexistent");
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    fn failed(&self, failure: &Failure) -> SourceError {
        let command = self.command.display();
        SourceError::Failed(match failure {
            Failure::NotStarted(error) => {
                format!("{command} cannot be started: {error}; install it in the image of the operator")
            }
            Failure::Late => format!("{command} did not end within {} s", self.time.as_secs()),
            Failure::TooLong => return SourceError::Invalid(format!("{command} prints more than 32 MiB")),
            Failure::Lost(error) => format!("the output of {command} cannot be read: {error}"),
        })
    }

    /// A program that was killed may succeed next time; one that ends with a code has refused its input.
    fn refused(&self, ended: &Ended) -> SourceError {
        let command = self.command.display();
        let Some(code) = ended.status.code() else {
            return SourceError::Failed(format!("{command} was killed"));
        };
        let said = self.said(&String::from_utf8_lossy(&ended.errors));
        SourceError::Invalid(format!("{command} ended with code {code}: {said}"))
    }

    /// What the program says, in one line and without the texts of the values, which may be secret.
    fn said(&self, errors: &str) -> String {
        let mut said = errors.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut secrets = Vec::new();
        texts(&self.values, &mut secrets);
        // The longest first: it may contain another one.
        secrets.sort_by_key(|text| std::cmp::Reverse(text.len()));
        for secret in secrets.into_iter().filter(|text| text.len() > 2) {
            said = said.replace(&secret, "***");
        }
        if said.chars().count() > LONGEST {
            said = said.chars().take(LONGEST).chain(" ..".chars()).collect();
        }
        if said.is_empty() { "it gives no cause".into() } else { said }
    }
}

/// All texts and larger numbers, each as a message shows it.
fn texts(value: &Value, all: &mut Vec<String>) {
    match value {
        Value::String(text) => all.push(text.split_whitespace().collect::<Vec<_>>().join(" ")),
        Value::Number(number) if number.to_string().len() > 3 => all.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, all)),
        Value::Object(fields) => fields.values().for_each(|value| texts(value, all)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_of_a_program_contains_no_value() {
        let values = json!({ "password": "s3cret", "nested": ["s3cret and\nmore", 12345], "on": true, "tier": "e" });
        let program = Program { command: "helm".into(), arguments: vec![], values, folder: ".".into(), time: TIME };
        let said = program.said("Error: template: shop:3: s3cret and\n  more 12345 s3cret is on\n");
        assert_eq!(said, "Error: template: shop:3: *** *** *** is on");
        assert_eq!(program.said(" \n"), "it gives no cause");
        assert_eq!(program.said(&"x".repeat(1000)).len(), LONGEST + 3);
    }
}
