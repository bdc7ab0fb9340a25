//! Charts of instructions for the guide; drawn when the committed figures are overwritten.

use evenkeel_bench::draw::{Axis, Bar, Line, bars, chart, keep};

use crate::parts::{PARTS, parts};
use crate::program::sample;
use crate::valgrind::{Counts, profile};

const WHO: [(&str, &str); 3] = [("ours", "evenkeel"), ("b0", "B0, kube's examples"), ("b1", "B1, tuned by hand")];

/// Counts and draws all charts.
pub(crate) fn draw(counts: &Counts) {
    flight(counts);
    share(counts);
    event();
}

fn show(file: &str, title: &str, x: &Axis, y: &Axis, lines: Vec<(&str, Vec<(f64, f64)>)>) {
    println!("\n{title}");
    lines.iter().for_each(|(name, points)| println!("  {name}: {points:.3?}"));
    let lines: Vec<Line> = lines.into_iter().map(|(name, points)| Line::new(name, points)).collect();
    keep(file, &chart(title, x, y, &lines));
}

/// Instructions of a pass by number of passes in flight.
fn flight(counts: &Counts) {
    let points = |who: &str| {
        let each = |flight: u32| (f64::from(flight), counts.slopes(&[format!("flight{flight} {who}")])[0]);
        [16, 64, 256, 1024, 4096].map(each).to_vec()
    };
    let lines = WHO[..2].iter().map(|(who, name)| (*name, points(who)));
    let (x, y) = (Axis::log("passes in flight"), Axis::log("instructions of an event with its pass"));
    show("flight", "Cost of a pass with others in flight", &x, &y, lines.collect());
}

/// Instructions of an event by share of managedFields.
fn share(counts: &Counts) {
    let points = |who: &str| {
        let each = |managers: u32| {
            let what = format!("managers{managers}");
            let (all, fields) = sample(&what, "ours").sizes();
            (fields as f64 / all as f64 * 100.0, counts.slopes(&[format!("{what} {who}")])[0])
        };
        [0, 1, 2, 3, 6].map(each).to_vec()
    };
    let lines = WHO.iter().map(|(who, name)| (*name, points(who)));
    let (x, y) = (Axis::linear("percent of the JSON that is managedFields"), Axis::linear("instructions of an event"));
    show("share", "Cost of an event by the share of managedFields", &x, &y, lines.collect());
}

/// The parts of an event.
fn event() {
    let all = WHO.map(|(who, _)| Bar { name: who.to_uppercase(), parts: parts(&profile(&format!("event {who}"))) });
    println!("\nparts of an event: {PARTS:?}");
    all.iter().for_each(|bar| println!("  {}: {:.0?}", bar.name, bar.parts));
    keep("parts", &bars("What an event to a pass without work is made of", "instructions", &PARTS, &all));
}
