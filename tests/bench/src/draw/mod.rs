//! Draws curves and bars as standalone SVG.

mod axis;
mod bars;

use std::fmt::Write;

pub use axis::Axis;
pub use bars::{Bar, bars};

use crate::report::{folder, overwrites};

/// The width of the drawing without margins.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
/// Evenkeel first; legible on white and with colour vision deficiency.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#666666", "#e69f00"];

/// Points of one series; drawn as a line, or as single points if others published them.
pub struct Line {
    name: String,
    points: Vec<(f64, f64)>,
    anchor: bool,
}

impl Line {
    /// A counted series.
    #[must_use]
    pub fn new(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, anchor: false }
    }

    /// A published series.
    #[must_use]
    pub fn anchor(name: &str, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.to_owned(), points, anchor: true }
    }
}

/// Draws a line chart.
#[must_use]
pub fn chart(title: &str, x: &Axis, y: &Axis, lines: &[Line]) -> String {
    let all = || lines.iter().flat_map(|line| &line.points);
    let (x, y) = (x.over(all().map(|point| point.0), WIDTH), y.over(all().map(|point| point.1), HEIGHT));
    let mut text = frame(title);
    for (at, label) in x.ticks() {
        let _ = writeln!(
            text,
            "<text x='{:.1}' y='{}' text-anchor='middle'>{label}</text>",
            LEFT + at,
            TOP + HEIGHT + 16.0
        );
    }
    for (at, label) in y.ticks() {
        let at = TOP + HEIGHT - at;
        let _ = writeln!(text, "<path d='M{LEFT} {at:.1}h{WIDTH}' stroke='#ccc'/>");
        let _ = writeln!(text, "<text x='{}' y='{:.1}' text-anchor='end'>{label}</text>", LEFT - 6.0, at + 4.0);
    }
    let middle = LEFT + WIDTH / 2.0;
    let _ = writeln!(text, "<text x='{middle}' y='{}' text-anchor='middle'>{}</text>", TOP + HEIGHT + 36.0, x.what());
    let _ = writeln!(text, "<text x='{LEFT}' y='{}'>{}</text>", TOP - 6.0, y.what());
    for (nth, line) in lines.iter().enumerate() {
        let place = |(a, b): &(f64, f64)| (LEFT + x.place(*a), TOP + HEIGHT - y.place(*b));
        text += &drawn(line, &line.points.iter().map(place).collect::<Vec<_>>(), COLOURS[nth % COLOURS.len()]);
        text += &legend(nth, &line.name);
    }
    text + "</svg>\n"
}

/// A polyline, or hollow points for a published series.
fn drawn(line: &Line, points: &[(f64, f64)], colour: &str) -> String {
    let path: Vec<String> = points.iter().map(|(a, b)| format!("{a:.1} {b:.1}")).collect();
    let fill = if line.anchor { "none" } else { colour };
    let few = points.len() <= 12;
    let dots = points.iter().filter(|_| few || line.anchor);
    let dots =
        dots.map(|(a, b)| format!("<circle cx='{a:.1}' cy='{b:.1}' r='3.5' fill='{fill}' stroke='{colour}'/>\n"));
    let line = if line.anchor {
        String::new()
    } else {
        format!("<path d='M{}' fill='none' stroke='{colour}' stroke-width='2'/>\n", path.join("L"))
    };
    line + &dots.collect::<String>()
}

fn legend(nth: usize, name: &str) -> String {
    let (x, y) = (LEFT + WIDTH + 14.0, TOP + 10.0 + 18.0 * nth as f64);
    let colour = COLOURS[nth % COLOURS.len()];
    format!("<circle cx='{x}' cy='{}' r='4' fill='{colour}'/><text x='{}' y='{y}'>{name}</text>\n", y - 4.0, x + 9.0)
}

/// The frame of a chart, without empty lines so that Markdown can contain it.
fn frame(title: &str) -> String {
    let (width, height) = (LEFT + WIDTH + 230.0, TOP + HEIGHT + 50.0);
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='12' role='img'>\n\
         <title>{title}</title>\n<rect width='{width}' height='{height}' fill='#fff'/>\n\
         <text x='{LEFT}' y='16' font-size='14' font-weight='bold'>{title}</text>\n"
    )
}

/// Writes a drawing into the folder of the guide if requested.
///
/// # Panics
/// The file cannot be written.
pub fn keep(name: &str, drawing: &str) {
    if overwrites() {
        std::fs::write(folder().join(name).with_extension("svg"), drawing).expect("the drawing can be written");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_draws_every_series_without_empty_lines() {
        let (x, y) = (Axis::log("objects"), Axis::linear("bytes"));
        let lines = [Line::new("ours", vec![(1.0, 0.0), (100.0, 5.0)]), Line::anchor("Go", vec![(10.0, 3.0)])];
        let text = chart("Memory", &x, &y, &lines);
        assert_eq!(text.matches("stroke-width='2'").count(), 1, "the anchor is a point: {text}");
        assert!(!text.contains("\n\n") && text.ends_with("</svg>\n"));
        assert!(text.contains("M80.0 280.0L540.0 40.0"), "from corner to corner: {text}");
    }

    #[test]
    fn a_bar_is_the_sum_of_its_parts() {
        let bar = |name: &str, parts: [f64; 2]| Bar { name: name.to_owned(), parts: parts.to_vec() };
        let text =
            bars("Work", "instructions", &["decode", "queue"], &[bar("B0", [75.0, 25.0]), bar("ours", [25.0, 25.0])]);
        assert!(text.contains("width='345.0'") && text.matches("width='115.0'").count() == 3, "{text}");
    }
}
