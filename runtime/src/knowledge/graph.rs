//! The graph of a reconciler in mermaid: its steps in order, the kinds that they touch, the conditions that they tell.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::Knowledge;
use crate::condition::READY;
use crate::wiring::{How, StepWiring};

impl Knowledge {
    /// A mermaid flowchart. Solid arrows are the order of the steps, dotted ones what wakes and what is read, thick ones what is owned.
    #[must_use]
    pub fn graph(&self) -> String {
        let mut lines = Lines::default();
        lines.say(&format!("object([\"{}\"])", text(&self.kind.resource.kind)));
        let mut before = "object".to_owned();
        for step in self.wiring.steps {
            let here = format!("step_{}", step.name);
            lines.say(&format!("{here}[\"{}\"]", label(step)));
            lines.say(&format!("{before} --> {here}"));
            before = here;
        }
        lines.say(&format!("{before} --> ready([\"{READY}\"])"));
        for step in self.wiring.steps {
            self.relate(step, &mut lines);
            self.tell(step, &mut lines);
        }
        format!("flowchart TD\n{}", lines.text)
    }

    fn relate(&self, step: &StepWiring, lines: &mut Lines) {
        let here = format!("step_{}", step.name);
        for relation in step.relations {
            let Some(kind) = relation.kind.map(|kind| kind().resource) else { continue };
            let there = format!("kind_{}", id(&format!("{}_{}", kind.group, kind.kind)));
            lines.once(&format!("{there}[(\"{}\")]", text(&kind.kind)));
            lines.once(&match relation.how {
                How::Owns => format!("{here} == owns ==> {there}"),
                How::WatchesByName => format!("{there} -. \"wakes, by name\" .-> {here}"),
                How::WatchesLabels(selector) => format!("{there} -. \"wakes, {}\" .-> {here}", text(selector)),
                How::Reads => format!("{there} -. read .-> {here}"),
            });
        }
        if step.external {
            lines.once(&format!("{here} == makes ==> outside[(\"outside the cluster\")]"));
        }
    }

    fn tell(&self, step: &StepWiring, lines: &mut Lines) {
        for (places, word) in [(step.sets, "sets"), (step.clears, "clears")] {
            for condition in self.conditions(places) {
                lines.once(&format!("on_{condition}{{{{\"{condition}\"}}}}"));
                lines.once(&format!("step_{} -- {word} --> on_{condition}", step.name));
            }
        }
    }
}

#[derive(Default)]
struct Lines {
    text: String,
    said: BTreeSet<String>,
}

impl Lines {
    fn say(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    fn once(&mut self, line: &str) {
        if self.said.insert(line.to_owned()) {
            self.say(line);
        }
    }
}

/// The name, and below it the first line of the doc comment.
fn label(step: &StepWiring) -> String {
    match step.doc.lines().next() {
        Some(doc) => format!("<b>{}</b><br/>{}", step.name, text(doc)),
        None => format!("<b>{}</b>", step.name),
    }
}

/// Text in a quoted label.
fn text(text: &str) -> String {
    let replace = |c: char| match c {
        '"' => "#quot;".to_owned(),
        '#' => "#35;".to_owned(),
        '<' => "#lt;".to_owned(),
        '>' => "#gt;".to_owned(),
        '`' => "'".to_owned(),
        c => c.to_string(),
    };
    text.chars().map(replace).collect()
}

fn id(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::fixture;

    #[test]
    fn the_graph_names_steps_in_order_kinds_and_conditions_each_once() {
        let graph = fixture::known().graph();
        let expected = [
            "flowchart TD",
            "object([\"Pod\"])",
            "step_fetch[\"<b>fetch</b><br/>Fetches #quot;it#quot;.\"]",
            "object --> step_fetch",
            "step_store[\"<b>store</b>\"]",
            "step_fetch --> step_store",
            "step_store --> ready([\"Ready\"])",
            "kind__Secret[(\"Secret\")]",
            "kind__Secret -. \"wakes, by name\" .-> step_fetch",
            "on_Fetched{{\"Fetched\"}}",
            "step_fetch -- sets --> on_Fetched",
            "on_Outdated{{\"Outdated\"}}",
            "step_fetch -- sets --> on_Outdated",
            "kind__ConfigMap[(\"ConfigMap\")]",
            "step_store == owns ==> kind__ConfigMap",
            "kind__Node[(\"Node\")]",
            "kind__Node -. read .-> step_store",
            "step_store == makes ==> outside[(\"outside the cluster\")]",
            "on_Stored{{\"Stored\"}}",
            "step_store -- sets --> on_Stored",
            "step_store -- clears --> on_Outdated",
        ];
        assert_eq!(graph.lines().map(str::trim).collect::<Vec<_>>(), expected);
    }
}
