//! The HTML page of objects: no scripts, no external resources, for wide and narrow screens, light and dark.

use std::fmt::Write;

use serde_json::{Value, json};

use super::debug_objects::{Row, short};
use super::object_query::{ObjectQuery, REFRESHES, State};

const HEAD: &str = concat!(
    "<!doctype html><html lang=en><meta charset=utf-8><title>objects</title>",
    "<meta name=viewport content=\"width=device-width,initial-scale=1\"><link rel=icon href=\"data:,\"><style>",
    include_str!("page.css"),
    "</style>"
);
const PATH: &str = "/debug/objects";
const COLUMNS: [&str; 8] =
    ["object", "ready", "why", "last pass", "failures", "queue: next retry", "triggers", "reconciler"];

/// Renders the page.
pub(super) fn html(rows: &[Row], all: usize, query: &ObjectQuery) -> String {
    let mut page = String::from(HEAD);
    if query.refresh > 0 {
        let _ = write!(page, "<meta http-equiv=refresh content={}>", query.refresh);
    }
    let _ = write!(page, "<h1>{} of {all} objects</h1>{}{}", rows.len(), navigation(query), form(query));
    page.push_str("<table><thead><tr>");
    for column in COLUMNS {
        let _ = write!(page, "<th>{column}");
    }
    page.push_str("</thead><tbody>");
    for row in rows {
        line(&mut page, row, query);
    }
    page.push_str("</tbody></table></html>");
    page
}

fn navigation(query: &ObjectQuery) -> String {
    let json = format!("{PATH}?{}&format=json", query.encoded());
    let links = [
        ("all objects", PATH),
        ("JSON", &*json),
        ("metrics", "/metrics"),
        ("readiness", "/readyz"),
        ("health", "/healthz"),
    ];
    let links = links.map(|(text, path)| link(path, text));
    format!("<nav>{}</nav>", links.concat())
}

fn link(path: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(path), escaped(text))
}

/// The form of the query. It needs no script: a browser sends it as a query string.
fn form(query: &ObjectQuery) -> String {
    let field =
        |name: &str, value: &str| format!("<label>{name} <input name={name} value=\"{}\"></label>", escaped(value));
    let fields = [
        field("search", &query.search),
        field("kind", &query.kind),
        field("namespace", &query.namespace),
        field("name", &query.name),
    ];
    let states = State::ALL.map(|state| option(state.word(), state.label(), state == query.state));
    let refreshes = REFRESHES.map(|seconds| {
        let label = if seconds == 0 { "off".to_owned() } else { format!("{seconds} s") };
        option(&seconds.to_string(), &label, seconds == query.refresh)
    });
    format!(
        "<form>{}<label>state <select name=state>{}</select></label>\
         <label>refresh <select name=refresh>{}</select></label><button>show</button></form>",
        fields.concat(),
        states.concat(),
        refreshes.concat()
    )
}

fn option(value: &str, label: &str, selected: bool) -> String {
    let selected = if selected { " selected" } else { "" };
    format!("<option value=\"{value}\"{selected}>{label}")
}

fn line(page: &mut String, row: &Row, query: &ObjectQuery) {
    let last =
        row.last.map(|last| format!("{}, {} ago, took {}", last.outcome, short(last.at.elapsed()), short(last.took)));
    let status = row.summary().map_or("-", |ready| ready.status.as_str());
    let _ = write!(page, "<tr{}>", if row.is_ready() { "" } else { " class=no" });
    let cells = [
        object(row, query),
        escaped(status),
        why(row),
        escaped(&last.unwrap_or_else(|| "none since the start".into())),
        row.attempt().failures.to_string(),
        escaped(&row.queue()),
        folded(&format!("{} triggers", row.triggers().len()), &row.triggers()),
        escaped(row.reconciler),
    ];
    for (column, cell) in COLUMNS.iter().zip(cells) {
        let _ = write!(page, "<td data-label=\"{column}\"><div>{cell}</div>");
    }
}

/// The object, with links to its kind, its namespace and itself.
fn object(row: &Row, query: &ObjectQuery) -> String {
    let only = |query: ObjectQuery, text: &str| link(&format!("{PATH}?{}", query.encoded()), text);
    let kind = ObjectQuery { kind: row.kind.clone(), refresh: query.refresh, ..ObjectQuery::default() };
    let key = &row.inspect.key;
    let space =
        key.namespace.as_deref().map(|namespace| ObjectQuery { namespace: namespace.to_owned(), ..kind.clone() });
    let itself = ObjectQuery { name: key.name.to_string(), ..space.clone().unwrap_or_else(|| kind.clone()) };
    let space = space
        .map(|space| {
            let name = space.namespace.clone();
            only(space, &name) + "/"
        })
        .unwrap_or_default();
    let deleting = if row.inspect.deleting { " (is being deleted)" } else { "" };
    format!("{} {space}{}{deleting}", only(kind, &row.kind), only(itself, &key.name))
}

/// The reason of the summary, and the other conditions and the dependents to unfold.
fn why(row: &Row) -> String {
    let (conditions, dependents) = (row.conditions(), row.dependents());
    let mut text = escaped(&row.why());
    if !conditions.is_empty() {
        text += &folded("conditions", &conditions);
    }
    if !dependents.is_empty() {
        text += &folded(&format!("{} dependents", dependents.len()), &dependents);
    }
    text
}

/// Lines behind a title, which unfolds them without a script.
fn folded(title: &str, lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| format!("<li>{}", escaped(line))).collect();
    format!("<details><summary>{title}</summary><ul>{}</ul></details>", lines.concat())
}

/// The same as JSON.
pub(super) fn json(rows: &[Row], all: usize) -> Value {
    json!({ "count": all, "objects": rows.iter().map(Row::json).collect::<Vec<_>>() })
}

fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, c| {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
        out
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_from_outside_is_no_markup() {
        let bad = "\"><script>alert(1)</script>";
        for query in [
            ObjectQuery { kind: bad.into(), ..ObjectQuery::default() },
            ObjectQuery { search: bad.into(), ..ObjectQuery::default() },
        ] {
            let page = html(&[], 0, &query);
            assert!(!page.contains("<script") && page.contains("&quot;&gt;&lt;script&gt;"), "{page}");
        }
    }

    #[test]
    fn a_page_refreshes_only_if_asked() {
        let page = |refresh| html(&[], 0, &ObjectQuery { refresh, ..ObjectQuery::default() });
        assert!(!page(0).contains("http-equiv") && page(5).contains("http-equiv=refresh content=5"));
    }
}
