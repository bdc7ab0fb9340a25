//! The figures of the last runs, in a file beside the table that is made of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::framework::{Framework, folder};
use crate::table::{Figures, render};
use crate::{Result, lines};

/// The figures by the name of the framework.
pub type Recorded = BTreeMap<String, Figures>;

fn figures() -> PathBuf {
    folder().join("figures.json")
}

/// The table that the page of the book includes.
#[must_use]
pub fn table() -> PathBuf {
    folder().join("table.md")
}

/// Reads the figures. Without a file there are none.
pub fn read() -> Result<Recorded> {
    match std::fs::read(figures()) {
        Ok(text) => Ok(serde_json::from_slice(&text)?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Recorded::default()),
        Err(error) => Err(error.into()),
    }
}

/// Adds new figures of a framework to the former ones: a part that was not measured keeps its figures.
pub fn merge(recorded: &mut Recorded, framework: Framework, new: Figures) {
    let old = recorded.entry(framework.name().to_owned()).or_default();
    *old = Figures {
        left_out: new.left_out,
        lines: new.lines.or(old.lines),
        passed: new.passed.or(old.passed),
        life: new.life.or(old.life),
        idle: new.idle.or(old.idle),
        left: new.left.or(old.left.take()),
        memory: new.memory.or(old.memory),
    };
}

/// The table of the figures. The lines of code are counted anew.
pub fn rendered(recorded: &Recorded) -> Result<String> {
    let mut all = Vec::new();
    for framework in Framework::ALL {
        if let Some(figures) = recorded.get(framework.name()) {
            all.push((framework, Figures { lines: Some(lines::of(framework)?), ..figures.clone() }));
        }
    }
    Ok(render(&all))
}

/// Writes the figures, and the table of the book.
pub fn write(recorded: &Recorded) -> Result<()> {
    std::fs::write(figures(), serde_json::to_string_pretty(recorded)? + "\n")?;
    std::fs::write(table(), rendered(recorded)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_that_was_not_measured_keeps_its_figures() {
        let mut recorded = Recorded::default();
        merge(&mut recorded, Framework::Kopf, Figures { passed: Some((11, 11)), ..Figures::default() });
        let reason = Some("no python3".to_owned());
        merge(&mut recorded, Framework::Kopf, Figures { left_out: reason.clone(), ..Figures::default() });
        let expected = Figures { left_out: reason, passed: Some((11, 11)), ..Figures::default() };
        assert_eq!(recorded["kopf"], expected);
    }

    #[test]
    fn the_committed_table_is_that_of_the_committed_figures() {
        let table = std::fs::read_to_string(table()).unwrap();
        let rendered = rendered(&read().unwrap()).unwrap();
        if std::env::var_os("GENERATED").is_some_and(|word| word == "overwrite") {
            return std::fs::write(super::table(), rendered).unwrap();
        }
        assert_eq!(table, rendered, "GENERATED=overwrite cargo test -p evenkeel-comparison writes it");
    }
}
