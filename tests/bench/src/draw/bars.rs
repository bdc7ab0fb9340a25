//! Bars of stacked parts.

use std::fmt::Write;

use super::{Axis, COLOURS, HEIGHT, LEFT, TOP, WIDTH, frame, legend};

/// One bar.
pub struct Bar {
    /// The label.
    pub name: String,
    /// The lengths of its parts.
    pub parts: Vec<f64>,
}

/// Draws bars next to each other; `parts` names their parts.
#[must_use]
pub fn bars(title: &str, what: &str, parts: &[&str], all: &[Bar]) -> String {
    let axis = Axis::linear(what);
    let scale = axis.over(all.iter().map(|bar| bar.parts.iter().sum()), WIDTH);
    let mut text = frame(title);
    for (at, label) in scale.ticks() {
        let (at, below) = (LEFT + at, TOP + HEIGHT + 16.0);
        let _ = writeln!(text, "<path d='M{at:.1} {TOP}v{HEIGHT}' stroke='#ccc'/>");
        let _ = writeln!(text, "<text x='{at:.1}' y='{below}' text-anchor='middle'>{label}</text>");
    }
    let (middle, below) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 36.0);
    let _ = writeln!(text, "<text x='{middle}' y='{below}' text-anchor='middle'>{}</text>", scale.what());
    let each = HEIGHT / all.len() as f64;
    for (nth, bar) in all.iter().enumerate() {
        let top = TOP + each * (nth as f64 + 0.2);
        let _ = writeln!(
            text,
            "<text x='{}' y='{:.1}' text-anchor='end'>{}</text>",
            LEFT - 6.0,
            top + each * 0.35,
            bar.name
        );
        let mut from = LEFT;
        for (part, colour) in bar.parts.iter().zip(COLOURS) {
            let (width, height) = (scale.place(*part), each * 0.6);
            let _ = writeln!(
                text,
                "<rect x='{from:.1}' y='{top:.1}' width='{width:.1}' height='{height:.1}' fill='{colour}'/>"
            );
            from += width;
        }
    }
    text.extend(parts.iter().enumerate().map(|(nth, name)| legend(nth, name)));
    text + "</svg>\n"
}
