//! The HTML page of objects: no scripts, no external resources.

use std::fmt::Write;

use serde_json::{Value, json};

use super::debug_objects::{ObjectQuery, Row, short};

const HEAD: &str = "<!doctype html><html lang=en><meta charset=utf-8><title>objects</title>\
<style>body{font:14px sans-serif}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:4px 8px;text-align:left;\
vertical-align:top}.no{background:#fdd}</style>";
const COLUMNS: [&str; 8] =
    ["object", "ready", "why", "last pass", "failures", "queue: next retry", "triggers", "reconciler"];

/// Renders the page.
pub(super) fn html(rows: &[Row], all: usize, filter: &ObjectQuery) -> String {
    let mut page = String::from(HEAD);
    let _ = write!(page, "<h1>{} of {all} objects</h1>{}", rows.len(), form(filter));
    page.push_str("<table><tr>");
    for column in COLUMNS {
        let _ = write!(page, "<th>{column}");
    }
    for row in rows {
        line(&mut page, row);
    }
    page.push_str("</table></html>");
    page
}

fn form(filter: &ObjectQuery) -> String {
    let field =
        |name: &str, value: &str| format!("<label>{name} <input name={name} value=\"{}\"></label> ", escaped(value));
    let fields =
        [field("kind", &filter.kind), field("namespace", &filter.namespace), field("name", &filter.name)].concat();
    format!("<form>{fields}<button>show</button></form>")
}

fn line(page: &mut String, row: &Row) {
    let last =
        row.last.map(|last| format!("{}, {} ago, took {}", last.outcome, short(last.at.elapsed()), short(last.took)));
    let status = row.summary().map_or("-", |ready| ready.status.as_str());
    let deleting = if row.inspect.deleting { " (is being deleted)" } else { "" };
    let _ = write!(page, "<tr{}>", if row.is_ready() { "" } else { " class=no" });
    let cells = [
        format!("{} {}{deleting}", row.kind, row.inspect.key),
        status.to_owned(),
        row.why(),
        last.unwrap_or_else(|| "none since the start".into()),
        row.attempt().failures.to_string(),
        row.queue(),
        row.triggers().join("; "),
        row.reconciler.to_owned(),
    ];
    for cell in cells {
        let _ = write!(page, "<td>{}", escaped(&cell));
    }
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
        let filter = ObjectQuery { kind: "\"><script>alert(1)</script>".into(), ..ObjectQuery::default() };
        let page = html(&[], 0, &filter);
        assert!(!page.contains("<script") && page.contains("&quot;&gt;&lt;script&gt;"), "{page}");
    }
}
