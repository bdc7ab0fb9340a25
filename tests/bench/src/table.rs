//! The table of figures: evenkeel and its baselines, with the targets.

use crate::pending::Pending;

/// The target of a figure.
pub enum Aim {
    /// At most these shares of the figures in these columns.
    Shares(&'static [(usize, f64)]),
    /// At most this value.
    AtMost(f64),
}

/// Figures of one sort. The first column is evenkeel.
pub struct Table {
    /// The counted quantity and the number of objects.
    sort: String,
    size: String,
    about: String,
    heads: &'static [&'static str],
    rows: Vec<Row>,
}

struct Row {
    what: String,
    figures: Vec<f64>,
    aim: Aim,
}

/// A target and its figure.
struct Target {
    /// The column of which it is a share; empty for an absolute target.
    of: &'static str,
    found: f64,
    limit: f64,
}

/// The three operators.
pub const THREE: &[&str] = &["evenkeel", "B0", "B1"];

impl Table {
    /// Creates a table of this sort for this number of objects; `heads` names the columns.
    #[must_use]
    pub fn new(sort: &str, size: &str, heads: &'static [&'static str]) -> Self {
        Self { sort: sort.to_owned(), size: size.to_owned(), about: String::new(), heads, rows: Vec::new() }
    }

    /// Adds a description of the counted object.
    #[must_use]
    pub fn about(self, about: &dyn std::fmt::Display) -> Self {
        Self { about: about.to_string(), ..self }
    }

    /// Adds the figures of one row and their target.
    pub fn row(&mut self, what: &str, figures: &[f64], aim: Aim) {
        assert_eq!(figures.len(), self.heads.len(), "a figure for each column");
        self.rows.push(Row { what: what.to_owned(), figures: figures.to_vec(), aim });
    }

    /// The title in the file of figures.
    pub(crate) fn title(&self) -> String {
        if self.size.is_empty() { self.sort.clone() } else { format!("{}, {}", self.sort, self.size) }
    }

    /// The figures of evenkeel by row.
    pub(crate) fn ours(&self) -> impl Iterator<Item = (&str, f64)> {
        self.rows.iter().map(|row| (&*row.what, row.figures[0]))
    }

    /// Renders Markdown, and returns the number of missed targets that are not listed.
    pub(crate) fn render(&self, pending: &mut Pending) -> (String, usize) {
        let shares = self.heads[1..].iter().map(|head| format!("/ {head}"));
        let heads: Vec<String> = self.heads.iter().map(ToString::to_string).chain(shares).collect();
        let about = if self.about.is_empty() { String::new() } else { format!("\n{}\n", self.about) };
        let rule = "| ---: ".repeat(heads.len());
        let mut text = format!("{about}\n| {} | {} | target |\n| --- {rule}| --- |\n", self.title(), heads.join(" | "));
        let mut missed = 0;
        for row in &self.rows {
            let (line, more) = self.line(row, pending);
            text += &line;
            missed += more;
        }
        (text, missed)
    }

    fn line(&self, row: &Row, pending: &mut Pending) -> (String, usize) {
        let ours = row.figures[0];
        let shares = row.figures[1..].iter().map(|other| format!("{:.3}", ours / other));
        let cells: Vec<String> = row.figures.iter().map(|figure| number(*figure)).chain(shares).collect();
        let targets = self.targets(row);
        let (mut words, mut missed) = (Vec::new(), 0);
        for target in &targets {
            let aim = format!("≤ {:.2} {}", target.limit, target.of);
            let (mark, is_new) =
                pending.judge(&format!("{} / {}", self.sort, row.what), target.of, target.found, target.limit);
            words.push(format!("{}{mark}", aim.trim_end()));
            missed += usize::from(is_new);
        }
        (format!("| {} | {} | {} |\n", row.what, cells.join(" | "), words.join(", ")), missed)
    }

    fn targets(&self, row: &Row) -> Vec<Target> {
        let ours = row.figures[0];
        let share =
            |(at, limit): &(usize, f64)| Target { of: self.heads[*at], found: ours / row.figures[*at], limit: *limit };
        match row.aim {
            Aim::Shares(shares) => shares.iter().map(share).collect(),
            Aim::AtMost(limit) => vec![Target { of: "", found: ours, limit }],
        }
    }
}

/// Rounds to about four digits: counts are no more exact between compilers.
fn number(figure: f64) -> String {
    let digits = if figure < 10.0 { 3 } else { usize::from(figure < 1000.0) };
    format!("{figure:.digits$}")
}
