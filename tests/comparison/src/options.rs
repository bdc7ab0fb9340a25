//! The command line.

use evenkeel_comparison::Result;
use evenkeel_comparison::framework::Framework;

const HELP: &str = "\
Runs the Bucket operator of each framework as a process against a real API server, and counts from outside.

usage: cargo run --release -p evenkeel-comparison -- [OPTIONS] [FRAMEWORK..]

  FRAMEWORK             evenkeel, kube-rs, controller-runtime, kopf; all unless given

options:
  --only PART[,PART]    scenario, life, kills, memory, idle; all unless given
  --kills N             how often an operator is killed; default 50
  --objects N           how many objects there are for the memory; default 10000
  --idle-minutes N      how long an idle operator is observed; default 60
  --help                this text

EVENKEEL_REAL_APISERVER is the folder of the API servers, which tests/kit/real.sh prints. Each part starts a server of its own from it.
GENERATED=overwrite adds the figures to tests/comparison/figures.json, and writes the table of the book, tests/comparison/table.md.

kopf is installed into the folder evenkeel-comparison of the cache ($XDG_CACHE_HOME or ~/.cache) with python3 and pip. The operator of
controller-runtime is built into the same folder with go. A framework whose tools or modules are not available is left out.";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Scenario,
    Life,
    Kills,
    Memory,
    Idle,
}

impl Part {
    const ALL: [(&str, Self); 5] = [
        ("scenario", Self::Scenario),
        ("life", Self::Life),
        ("kills", Self::Kills),
        ("memory", Self::Memory),
        ("idle", Self::Idle),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(of, _)| *of == name).map(|(_, part)| part)
    }
}

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) frameworks: Vec<Framework>,
    pub(crate) kills: u64,
    pub(crate) objects: usize,
    pub(crate) idle_minutes: u64,
    parts: Vec<Part>,
}

impl Options {
    /// Reads the arguments. The error is the text to print.
    pub(crate) fn parse(words: impl Iterator<Item = String>) -> Result<Self> {
        let mut options =
            Self { frameworks: Vec::new(), kills: 50, objects: 10_000, idle_minutes: 60, parts: Vec::new() };
        let mut words = words;
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} needs a value\n\n{HELP}"));
            match word.as_str() {
                "--help" | "-h" => return Err(HELP.into()),
                "--kills" => options.kills = value()?.parse()?,
                "--objects" => options.objects = value()?.parse()?,
                "--idle-minutes" => options.idle_minutes = value()?.parse()?,
                "--only" => {
                    for name in value()?.split(',') {
                        options
                            .parts
                            .push(Part::named(name).ok_or_else(|| format!("there is no part {name}\n\n{HELP}"))?);
                    }
                }
                name => {
                    let framework = Framework::named(name).ok_or_else(|| format!("unknown word {name}\n\n{HELP}"))?;
                    options.frameworks.push(framework);
                }
            }
        }
        if options.frameworks.is_empty() {
            options.frameworks = Framework::ALL.to_vec();
        }
        Ok(options)
    }

    pub(crate) fn runs(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    fn parse(words: &str) -> Result<Options> {
        Options::parse(words.split_whitespace().map(ToOwned::to_owned))
    }

    #[test]
    fn without_words_all_parts_of_all_frameworks_run() {
        let options = parse("").unwrap();
        assert_eq!(options.frameworks, Framework::ALL);
        assert!(options.runs(Part::Scenario) && options.runs(Part::Idle));
    }

    #[test]
    fn parts_and_frameworks_are_selected_and_wrong_words_are_refused() {
        let options = parse("--only life,kills --kills 3 kopf").unwrap();
        assert_eq!((options.frameworks.as_slice(), options.kills), (&[Framework::Kopf][..], 3));
        assert!(options.runs(Part::Kills) && !options.runs(Part::Memory));
        assert!(parse("helm").unwrap_err().to_string().starts_with("unknown word helm"));
        assert!(parse("--only sleep").is_err() && parse("--kills").is_err());
    }
}
