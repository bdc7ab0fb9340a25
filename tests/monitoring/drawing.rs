//! Draws the panels of a dashboard as SVG, at the places that its JSON gives them.

use std::fmt::Write;

use serde_json::Value;

/// A line of a panel.
pub struct Line {
    pub name: String,
    /// Time in seconds, and value.
    pub points: Vec<(f64, f64)>,
}

/// The pixels of a column and of a unit of height of the grid.
const COLUMN: f64 = 40.0;
const UNIT: f64 = 24.0;
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#666666", "#e69f00", "#56b4e9", "#8b5a2b"];

/// The lines of a legend that fit below a panel.
const LEGEND: usize = 6;

/// Draws the panels with their lines. No line of the text is empty, so that Markdown can contain it.
pub fn draw(panels: &[(Value, Vec<Line>)], range: (i64, i64)) -> String {
    let place = |panel: &Value, field: &str| panel["gridPos"][field].as_f64().unwrap();
    let height =
        panels.iter().map(|(panel, _)| place(panel, "y") + place(panel, "h")).fold(0.0, f64::max) * UNIT + 24.0;
    let width = 24.0 * COLUMN;
    let mut text = format!(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' font-family='sans-serif' font-size='10' role='img'>\n\
         <title>The panels of a dashboard</title>\n<rect width='{width}' height='{height}' fill='#f4f5f5'/>\n"
    );
    for (panel, lines) in panels {
        let (x, y) = (place(panel, "x") * COLUMN, place(panel, "y") * UNIT);
        let size = (place(panel, "w") * COLUMN, place(panel, "h") * UNIT);
        let title = escaped(panel["title"].as_str().unwrap());
        writeln!(text, "<g transform='translate({x} {y})'>").unwrap();
        match panel["type"].as_str() {
            Some("row") => {
                writeln!(text, "<text class='name' x='8' y='17' font-size='14' font-weight='bold'>{title}</text>")
                    .unwrap();
            }
            _ => text += &body(&title, panel["fieldConfig"]["defaults"]["unit"].as_str().unwrap(), lines, size, range),
        }
        text += "</g>\n";
    }
    let y = height - 8.0;
    let note = "Drawn by a test from the JSON of the dashboard, with the values of a run of one hour.";
    writeln!(text, "<text x='8' y='{y}' fill='#555'>{note}</text>\n</svg>").unwrap();
    text
}

fn body(title: &str, unit: &str, lines: &[Line], (width, height): (f64, f64), range: (i64, i64)) -> String {
    let mut text = format!(
        "<rect x='3' y='3' width='{}' height='{}' fill='#fff' stroke='#d8d9da'/>\n\
         <text class='name' x='12' y='19' font-size='12' font-weight='bold'>{title}</text>\n",
        width - 6.0,
        height - 6.0
    );
    let shown = &lines[..lines.len().min(LEGEND)];
    let (left, top) = (56.0, 30.0);
    let (inner, deep) = (width - left - 16.0, height - top - 22.0 - 12.0 * shown.len().div_ceil(2) as f64);
    let greatest = lines.iter().flat_map(|line| &line.points).map(|(_, value)| *value).fold(0.0, f64::max);
    let greatest = if greatest > 0.0 { greatest } else { 1.0 };
    for share in [0.0, 0.5, 1.0] {
        let y = top + deep * (1.0 - share);
        let label = with_unit(greatest * share, unit);
        writeln!(text, "<path d='M{left} {y:.1}h{inner}' stroke='#e4e5e6'/><text x='{}' y='{:.1}' text-anchor='end' fill='#555'>{label}</text>", left - 5.0, y + 3.0).unwrap();
    }
    let (begin, length) = (range.0 as f64, (range.1 - range.0) as f64);
    for (line, colour) in lines.iter().zip(COLOURS.iter().cycle()) {
        let place = |(time, value): &(f64, f64)| {
            format!("{:.1} {:.1}", left + inner * (time - begin) / length, top + deep * (1.0 - value / greatest))
        };
        let points: Vec<String> = line.points.iter().map(place).collect();
        if !points.is_empty() {
            writeln!(text, "<path d='M{}' fill='none' stroke='{colour}' stroke-width='1.5'/>", points.join("L"))
                .unwrap();
        }
    }
    for (at, (line, colour)) in shown.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let (x, y) = (14.0 + (at % 2) as f64 * (width - 28.0) / 2.0, top + deep + 14.0 + 12.0 * (at / 2) as f64);
        let name = escaped(&line.name);
        writeln!(text, "<rect x='{x}' y='{:.1}' width='8' height='3' fill='{colour}'/><text class='name' x='{}' y='{y:.1}'>{name}</text>", y - 4.0, x + 12.0).unwrap();
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A value as Grafana writes it in this unit, with three digits.
fn with_unit(value: f64, unit: &str) -> String {
    let digits = |value: f64| match value {
        0.0 => "0".to_owned(),
        value if value.abs() >= 100.0 => format!("{value:.0}"),
        value if value.abs() >= 1.0 => format!("{value:.1}"),
        value => format!("{value:.3}"),
    };
    match unit {
        "percentunit" => format!("{}%", digits(value * 100.0)),
        "bytes" => format!("{} MiB", digits(value / 1024.0 / 1024.0)),
        "s" if value > 0.0 && value < 1.0 => format!("{} ms", digits(value * 1000.0)),
        "s" => format!("{} s", digits(value)),
        "ops" | "reqps" => format!("{}/s", digits(value)),
        _ => digits(value),
    }
}
