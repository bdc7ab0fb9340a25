//! The command `contract --check`, which compares the contract of an earlier version with that of this program.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::builder::Operator;
use super::error::{Error, Reason, Result};
use super::print::print;
use crate::introspection::{ApiDiff, Contract, Semver};

/// The arguments of the command `contract`.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct ContractArgs {
    /// Compares the contract of an earlier version, which `contract` printed into this file, with that of this program. Prints a line for each
    /// change; the exit code is 1 if one of them is not allowed
    #[arg(long, value_name = "FILE")]
    pub(super) check: Option<PathBuf>,
    /// The largest change that --check allows
    #[arg(long, value_name = "LEVEL", default_value = "minor", requires = "check")]
    pub(super) allow: Allow,
}

/// The largest change that is allowed.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum Allow {
    /// No change
    Patch,
    /// Additions, which break no client and no object
    #[default]
    Minor,
    /// Every change
    Major,
}

impl Allow {
    const fn level(self) -> Semver {
        match self {
            Self::Patch => Semver::Patch,
            Self::Minor => Semver::Minor,
            Self::Major => Semver::Major,
        }
    }
}

/// Compares the contract in the file with that of the operator, and prints the changes.
///
/// # Errors
/// The file cannot be used, or a change is larger than `allow`.
pub(super) fn check(operator: &Operator, file: &Path, allow: Allow) -> Result {
    let changes = read(operator, file)?.compare(&operator.contract());
    print(&changes.iter().map(line).collect::<String>())?;
    let refused = changes.iter().filter(|change| change.semver > allow.level()).count();
    let changes = match refused {
        0 => return Ok(()),
        1 => "1 change".to_owned(),
        several => format!("{several} changes"),
    };
    let largest = allow.level().as_str();
    let headline = format!("the contract has {changes} of a higher level than {largest} since {}", file.display());
    Err(Error::new(Reason::Contract, headline, "see the lines above, or raise `--allow` for a release of that level"))
}

fn line(change: &ApiDiff) -> String {
    let fix = if change.fix.is_empty() { String::new() } else { format!("; {}", change.fix) };
    format!("{}: {change}{fix}\n", change.semver.as_str())
}

fn read(operator: &Operator, file: &Path) -> Result<Contract> {
    let refused = |headline: String, help: &str| Error::new(Reason::Contract, headline, help);
    let text = std::fs::read_to_string(file).map_err(|error| {
        let headline = format!("{} cannot be read: {error}", file.display());
        refused(headline, "give the file into which `contract` of an earlier version was written").caused_by(error)
    })?;
    parse(&text, &operator.name).map_err(|(why, help)| refused(format!("{} {why}", file.display()), help))
}

/// Parses the contract of an earlier version of the operator with this name. Otherwise returns what the file is, and the fix.
fn parse(text: &str, operator: &str) -> Result<Contract, (String, &'static str)> {
    let no_contract = |error: serde_json::Error| {
        (format!("is no contract: {error}"), "give the file into which `contract` of an earlier version was written")
    };
    let value: serde_json::Value = serde_json::from_str(text).map_err(no_contract)?;
    // A newer format may not fit the type, so its number is read first.
    if let Some(format) = value["format"].as_u64().filter(|format| *format > Contract::FORMAT.into()) {
        let why = format!("has the format {format}, and this program reads formats up to {}", Contract::FORMAT);
        return Err((why, "it is from a newer version of evenkeel: compare with the program of that version"));
    }
    let contract: Contract = serde_json::from_value(value).map_err(no_contract)?;
    if contract.operator.is_empty() || contract.operator == operator {
        return Ok(contract);
    }
    let why = format!("is the contract of `{}`, and this program is `{operator}`", contract.operator);
    Err((why, "give the file of this operator, or restore the name in `Operator::new`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        parse(text, "shop").map_or_else(|(why, _)| why, |contract| panic!("{contract}"))
    }

    #[test]
    fn a_file_that_is_no_contract_of_this_operator_is_refused_in_one_line() {
        assert!(refused("kind: Greeting").starts_with("is no contract: expected value at line 1"));
        assert!(refused("[]").starts_with("is no contract: "));
        assert_eq!(refused("{}"), "is no contract: missing field `reconcilers`");
        let other = r#"{"format": 1, "operator": "bank", "reconcilers": {}}"#;
        assert_eq!(refused(other), "is the contract of `bank`, and this program is `shop`");
        let newer = r#"{"format": 2, "reconcilers": []}"#;
        assert_eq!(refused(newer), "has the format 2, and this program reads formats up to 1");
    }

    #[test]
    fn a_file_without_a_format_is_compared_without_the_newer_sections() {
        let before = parse(r#"{"reconcilers": {}}"#, "shop").unwrap_or_else(|(why, _)| panic!("{why}"));
        assert_eq!(before.compare(&Operator::new("shop").contract()), []);
    }

    #[test]
    fn additions_pass_by_default_and_removals_do_not() {
        let folder = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let file = folder.path().join("contract.json");
        let operator = Operator::new("shop");
        let mut before = operator.contract();
        let (flag, value) = before.flags.pop_first().unwrap_or_else(|| panic!("no flags"));
        let write = |contract: &Contract| std::fs::write(&file, contract.to_string()).unwrap_or_else(|e| panic!("{e}"));
        write(&before);
        assert!(check(&operator, &file, Allow::Minor).is_ok());
        assert!(check(&operator, &file, Allow::Patch).is_err());
        before.flags.extend([(flag, value), ("--gone".to_owned(), String::new())]);
        write(&before);
        let error = check(&operator, &file, Allow::Minor).expect_err("a flag is gone");
        assert_eq!(error.reason(), Reason::Contract);
        assert!(error.to_string().contains("has 1 change of a higher level than minor"), "{error}");
        assert!(check(&operator, &file, Allow::Major).is_ok());
        let gone = ApiDiff { semver: Semver::Major, what: "removed: command line --gone".into(), fix: "keep it" };
        assert_eq!(line(&gone), "major: removed: command line --gone; keep it\n");
    }
}
