//! Text tables in Markdown, and in columns for a terminal.

/// Formats a Markdown table. Cells may contain any text.
pub(super) fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let head_line = line(head.iter().map(|cell| (*cell).to_owned()).collect());
    let rule = line(head.iter().map(|_| "---".to_owned()).collect());
    let body = rows.iter().map(|row| line(row.iter().map(|text| cell(text)).collect()));
    format!("{head_line}{rule}{}", body.collect::<String>())
}

/// Joins the text into one line and escapes bars, which would end the cell.
fn cell(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Formats a table in columns that are two spaces apart.
#[cfg(any(test, feature = "cli"))]
pub(crate) fn columns(head: &[&str], rows: &[Vec<String>]) -> String {
    let head = head.iter().map(|cell| cell.to_uppercase()).collect::<Vec<_>>();
    let all: Vec<&Vec<String>> = std::iter::once(&head).chain(rows).collect();
    let width = |at: usize| all.iter().map(|row| row[at].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &&Vec<String>| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("{}\n", cells.collect::<Vec<_>>().join("  ").trim_end())
    };
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_escaped() {
        let text = markdown(&["a"], &[vec!["x | y\nz".into()]]);
        assert_eq!(text, "| a |\n| --- |\n| x \\| y z |\n");
    }

    #[test]
    fn columns_are_as_wide_as_their_longest_cell() {
        let rows = [vec!["secrets".into(), "list".into()], vec!["a".into(), "b".into()]];
        assert_eq!(columns(&["kind", "verbs"], &rows), "KIND     VERBS\nsecrets  list\na        b\n");
    }
}
