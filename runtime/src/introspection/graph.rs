//! The mermaid graph of a reconciler: its steps in order, the kinds that they use, and the conditions that they set.

use super::flow;
use super::mermaid::{Lines, id, step_id, text};
use super::reconciler_info::ReconcilerInfo;
use crate::wiring::{How, StepWiring};

impl ReconcilerInfo {
    /// A mermaid flowchart of the reconciler.
    ///
    /// - Solid arrows are the order of the steps.
    /// - Dotted arrows are kinds that are watched or read.
    /// - Thick arrows are kinds that are owned.
    #[must_use]
    pub fn graph(&self) -> String {
        let mut lines = Lines::default();
        flow::draw(self, &mut lines);
        for (place, step) in self.wiring.steps.iter().enumerate() {
            let here = step_id(place, step);
            relate(&here, step, &mut lines);
            self.draw(&here, step, &mut lines);
        }
        format!("flowchart TD\n{}", lines.into_text())
    }

    fn draw(&self, here: &str, step: &StepWiring, lines: &mut Lines) {
        for (places, word) in [(step.sets, "sets"), (step.clears, "clears")] {
            for condition in self.conditions(places) {
                lines.once(&format!("on_{condition}{{{{\"{condition}\"}}}}"));
                lines.once(&format!("{here} -- {word} --> on_{condition}"));
            }
        }
    }
}

fn relate(here: &str, step: &StepWiring, lines: &mut Lines) {
    for relation in step.relations {
        if relation.is_any() {
            lines.once("any_kind[(\"any kind\")]");
            lines.once(&format!("{here} == keeps ==> any_kind"));
        }
        let Some(kind) = relation.kind.map(|kind| kind().resource) else { continue };
        let there = format!("kind_{}", id(&format!("{}_{}", kind.group, kind.kind)));
        lines.once(&format!("{there}[(\"{}\")]", text(&kind.kind)));
        lines.once(&match relation.how {
            How::Owns => format!("{here} == owns ==> {there}"),
            How::Keeps => format!("{here} == keeps ==> {there}"),
            How::WatchesByName => format!("{there} -. \"triggers, by name\" .-> {here}"),
            How::WatchesLabels(selector) => format!("{there} -. \"triggers, {}\" .-> {here}", text(selector)),
            How::Reads => format!("{there} -. read .-> {here}"),
            How::Uses(calls) => format!(
                "{here} -- \"calls {}\" --> {there}",
                text(&calls.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            ),
        });
    }
    if step.external {
        lines.once("outside[(\"outside the cluster\")]");
        lines.once(&format!("{here} == makes ==> outside"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use crate::wiring::triggers::{Names, Triggers};

    #[test]
    fn the_object_node_shows_declared_triggers() {
        let mut known = fixture::known();
        known.wiring.triggers = Triggers { labels: Names::Only(&["tier"]), annotations: Names::Only(&[]) };
        assert!(known.graph().contains("object([\"Pod: its spec, its label 'tier'\"])"), "{}", known.graph());
    }

    #[test]
    fn the_graph_shows_steps_kinds_and_conditions_once() {
        let graph = fixture::known().graph();
        let expected = [
            "flowchart TD",
            "object([\"Pod\"])",
            "step1_fetch[\"<b>fetch</b><br/>Fetches #quot;it#quot;.\"]",
            "object --> step1_fetch",
            "step2_store[\"<b>store</b>\"]",
            "step1_fetch --> step2_store",
            "ready([\"Ready\"])",
            "step2_store --> ready",
            "kind__Secret[(\"Secret\")]",
            "kind__Secret -. \"triggers, by name\" .-> step1_fetch",
            "on_Fetched{{\"Fetched\"}}",
            "step1_fetch -- sets --> on_Fetched",
            "on_Outdated{{\"Outdated\"}}",
            "step1_fetch -- sets --> on_Outdated",
            "kind__ConfigMap[(\"ConfigMap\")]",
            "step2_store == owns ==> kind__ConfigMap",
            "kind__Node[(\"Node\")]",
            "kind__Node -. read .-> step2_store",
            "outside[(\"outside the cluster\")]",
            "step2_store == makes ==> outside",
            "on_Stored{{\"Stored\"}}",
            "step2_store -- sets --> on_Stored",
            "step2_store -- clears --> on_Outdated",
        ];
        assert_eq!(graph.lines().map(str::trim).collect::<Vec<_>>(), expected);
    }
}
