//! Log messages, events, reasons and annotations in the code of the runtime.

use std::collections::{BTreeMap, BTreeSet};

use super::{between, code, errors, read, regex, rows, with_links};
use crate::page::root;
use crate::reference::Row;

/// The files without their tests, by their paths below `runtime/src`.
fn files() -> BTreeMap<String, String> {
    let src = root().join("runtime/src");
    let tests = regex(r"#\[cfg\(test\)\]\n(?:#\[.*\n)*mod \w+ \{");
    let (mut folders, mut files) = (vec![src.clone()], BTreeMap::new());
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            let is_test = path.file_stem().is_some_and(|stem| stem == "tests");
            if path.is_dir() && !is_test {
                folders.push(path);
            } else if path.extension() == Some("rs".as_ref()) && !is_test {
                let text = std::fs::read_to_string(&path).unwrap();
                let text = tests.split(&text).next().unwrap_or_default().to_owned();
                files.insert(path.strip_prefix(&src).unwrap().to_str().unwrap().to_owned(), text);
            }
        }
    }
    files
}

/// The files without comments.
fn codes() -> BTreeMap<String, String> {
    let is_code = |line: &&str| !line.trim_start().starts_with("//");
    let code = |text: String| text.lines().filter(is_code).map(|line| line.to_owned() + "\n").collect();
    files().into_iter().map(|(file, text)| (file, code(text))).collect()
}

/// The text of a literal, or of a constant of this file or of another one.
fn value(word: &str, file: &str, files: &BTreeMap<String, String>) -> String {
    let constant = regex(&format!(r#"const {word}: &str = "(\w+)""#));
    let in_file = |text: &String| constant.captures(text).map(|found| found[1].to_owned());
    match word.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(literal) => literal.to_owned(),
        None => in_file(&files[file]).or_else(|| files.values().find_map(in_file)).unwrap_or_else(|| word.to_owned()),
    }
}

/// The messages of these levels, with this number of further cells. The level of `$level` is that of the outcome.
pub(crate) fn log(levels: &[&str], further: usize) -> Vec<Row> {
    let begins = regex(r"tracing::(error|warn|info|\$level)!\(");
    let call = regex(&format!(r#"(?s){begins}\s*(?:.*?,\s*)??"((?:[^"\\]|\\.)*)",?\s*\)"#));
    let (wrapped, variable) = (regex(r"\\\n\s*"), regex(r"\{[^}]*\}"));
    let mut all = BTreeSet::new();
    for (file, text) in codes() {
        assert_eq!(call.find_iter(&text).count(), begins.find_iter(&text).count(), "{file}: a log line has no text");
        for found in call.captures_iter(&text).filter(|found| levels.contains(&&found[1])) {
            let message = variable.replace_all(&wrapped.replace_all(&found[2], ""), "..").into_owned();
            all.insert((message, found[1].replace("$level", "any")));
        }
    }
    // The text of an event or of an error.
    all.retain(|(message, _)| message != "..");
    let row = |(message, level)| [vec![Some(message), Some(level)], vec![None; further]].concat();
    all.into_iter().map(row).collect()
}

/// A column of the tables with this header on the pages that the operators of the examples print, by their first one.
fn printed(title: &str, key: usize, column: usize) -> BTreeMap<String, String> {
    let pages = ["component", "postgresuser"].map(|name| read(&format!("examples/reference/{name}/docs.md")));
    let tables = pages.iter().flat_map(|page| rows(between(page, title, "\n## ")));
    tables.map(|(_, cells)| (code(&cells[key]), cells[column].clone())).collect()
}

/// The events with a reason of the framework.
pub(crate) fn events() -> Vec<Row> {
    let call = regex(r#"Event(?:Type|Level)::(Normal|Warning),\s*("\w+"|[A-Z_]+),"#);
    let normal = regex(r#"send_event\([^"]*"(\w+)"|"reason": "(\w+)", "type": "Normal""#);
    let (files, mut all) = (codes(), BTreeMap::new());
    for (file, text) in &files {
        all.extend(call.captures_iter(text).map(|found| (code(&value(&found[2], file, &files)), found[1].to_owned())));
        let normal = normal.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
        all.extend(normal.map(|found| (code(found.as_str()), "Normal".to_owned())));
    }
    for found in regex(r#"const \w+: &str = "(\w+)""#).captures_iter(&files["pass/dependents/event.rs"]) {
        all.insert(code(&found[1]), "Normal".to_owned());
    }
    let when = printed("## Events\n", 1, 2);
    let row = |(reason, type_): (String, _)| vec![Some(reason.clone()), Some(type_), when.get(&reason).cloned(), None];
    all.into_iter().map(row).collect()
}

/// The reasons that the framework sets, without those of the errors that it returns to a step.
pub(crate) fn reasons() -> Vec<Row> {
    let error = regex(
        r#"(?:(?:PassError|Self)::(?:new|mishap)\((?:[\w:]+, )?|, reason: |\.reason = )("[A-Z]\w+"|[A-Z][A-Z_]+\b)"#,
    );
    let status = regex(r#"ConditionStatus::\w+, "(\w+)"|=> "(Progressing\w*)""#);
    let files = codes();
    let own = between(&files["condition/reason.rs"], "const OWN", "];");
    let mut all: BTreeSet<String> = regex(r#""(\w+)""#).captures_iter(own).map(|found| code(&found[1])).collect();
    let folders = ["pass/", "pipeline/", "outcome/", "dependency/", "wiring/policy.rs"];
    for (file, text) in files.iter().filter(|(file, _)| folders.iter().any(|folder| file.starts_with(folder))) {
        all.extend(error.captures_iter(text).map(|found| code(&value(&found[1], file, &files))));
        let found = status.captures_iter(text).filter_map(|found| found.get(1).or(found.get(2)));
        all.extend(found.map(|found| code(found.as_str())));
    }
    let (meaning, errors) = (printed("## Reasons of the framework\n", 0, 1), errors());
    // `HALTED` is no reason of a condition.
    all.retain(|reason| reason != "`HALTED`" && !errors.iter().any(|row| row[0].as_ref() == Some(reason)));
    all.into_iter().map(|reason| vec![Some(reason.clone()), meaning.get(&reason).cloned(), None]).collect()
}

/// A prefix alone, finalizers and a reason.
const NO_KEYS: [&str; 5] =
    ["evenkeel.dev/", "evenkeel.dev/*", "evenkeel.dev/*-*", "evenkeel.dev/adding.*", "evenkeel.dev/DryRun"];

/// The keys of annotations and labels, first those of `annotations.rs`, which have texts for users.
pub(crate) fn annotations() -> Vec<Row> {
    let constant = regex(
        r#"((?:///.*\n)*)(?:#\[.*\n)*(?:pub(?:\(\w+\))? )?const [A-Z_]+: &str = "((?:\w+\.)?evenkeel\.dev/[^"]*)";"#,
    );
    let written = regex(r#"format!\("(?:evenkeel\.dev|\{domain\})/([^"]*)""#);
    let (files, mut all) = (files(), Vec::new());
    let first = files.get_key_value("wiring/annotations.rs");
    for (file, text) in first.into_iter().chain(&files) {
        for found in constant.captures_iter(text) {
            let docs = found[1].lines().map(|line| line.trim_start_matches('/').trim()).filter(|line| !line.is_empty());
            let docs = with_links(&docs.collect::<Vec<_>>().join(" "));
            all.push((found[2].to_owned(), (file == "wiring/annotations.rs").then_some(docs)));
        }
        for found in written.captures_iter(text) {
            all.push((format!("evenkeel.dev/{}", regex(r"\{\w*\}").replace_all(&found[1], "*")), None));
        }
    }
    let mut met: BTreeSet<String> = NO_KEYS.map(str::to_owned).into();
    met.extend(setting_names().iter().map(|name| format!("evenkeel.dev/{name}")));
    all.retain(|(key, _)| met.insert(key.clone()));
    let whole = |key: String| if key.ends_with(['/', '.']) { key + "*" } else { key };
    all.into_iter().map(|(key, meaning)| vec![Some(code(&whole(key))), meaning]).collect()
}

fn setting_names() -> Vec<String> {
    let file = read("runtime/src/dependent_rules/policy/annotation.rs");
    let list = between(&file, "const NAMES", "];");
    regex(r#""([a-z-]+)""#).captures_iter(list).map(|found| found[1].to_owned()).collect()
}

/// The annotations with the settings of a dependent.
pub(crate) fn settings() -> Vec<Row> {
    let guide = rows(&read("runtime/src/guide/dependents.md"));
    let values = |name: &str| guide.iter().find(|(_, cells)| cells[0] == code(name)).map(|(_, cells)| cells[2].clone());
    let row = |name: String| vec![Some(code(&format!("evenkeel.dev/{name}"))), values(&name)];
    setting_names().into_iter().map(row).collect()
}
