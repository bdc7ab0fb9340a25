//! The table of figures: ours beside both baselines, with the targets.
#![allow(clippy::print_stdout, reason = "a table is what it is for")]

use std::fmt::Write;

/// What a figure of ours should be at most.
pub enum Aim {
    /// These shares of B0 and of B1.
    Shares(f64, f64),
    /// This share of B1.
    Share(f64),
    /// This.
    AtMost(f64),
    /// This share of B0.
    OfB0(f64),
}

/// Figures of one sort.
pub struct Table {
    text: String,
    missed: usize,
}

impl Table {
    #[must_use]
    pub fn new(what: &str) -> Self {
        let head = ["ours", "B0", "B1", "/ B0", "/ B1"].map(|word| format!("{word:>10}")).concat();
        Self { text: format!("\n{what:<42}{head}  target\n"), missed: 0 }
    }

    /// Ours, B0 and B1, and what is aimed at.
    pub fn row(&mut self, what: &str, [ours, b0, b1]: [f64; 3], aim: &Aim) {
        let cells = [ours, b0, b1].map(|figure| format!("{figure:>10.2}")).concat();
        let (of_b0, of_b1) = (ours / b0, ours / b1);
        let (text, missed) = match aim {
            Aim::Shares(b0, b1) => (format!("<= {b0:.2} B0, <= {b1:.2} B1"), of_b0 > *b0 || of_b1 > *b1),
            Aim::Share(b1) => (format!("<= {b1:.2} B1"), of_b1 > *b1),
            Aim::OfB0(b0) => (format!("<= {b0:.2} B0"), of_b0 > *b0),
            Aim::AtMost(limit) => (format!("<= {limit:.2}"), ours > *limit),
        };
        let mark = if missed { "  MISSED" } else { "" };
        let _ = writeln!(self.text, "{what:<42}{cells}{of_b0:>10.2}{of_b1:>10.2}  {text}{mark}");
        self.missed += usize::from(missed);
    }

    /// Prints it, and returns how many targets are missed.
    #[must_use]
    pub fn print(&self) -> usize {
        print!("{}", self.text);
        self.missed
    }
}
