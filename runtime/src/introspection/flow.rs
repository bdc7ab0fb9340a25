//! The order of the steps in a graph: sequences, branches, joins and loops.

use super::mermaid::{Lines, label, step_id, text};
use super::reconciler_info::ReconcilerInfo;
use crate::condition::READY;
use crate::wiring::{Arm, Node};

/// The nodes from which the next statement is reached, each with the label of the arrow.
type From = Vec<(String, String)>;

/// Draws the pipeline from the object to Ready.
pub(super) fn draw(known: &ReconcilerInfo, lines: &mut Lines) {
    let triggers = known.wiring.triggers;
    let what = triggers.declared().map_or_else(String::new, |_| format!(": its spec{triggers}"));
    lines.push(&format!("object([\"{}\"])", text(&format!("{}{what}", known.kind.resource.kind))));
    let mut flow = Flow { known, lines, branches: 0 };
    let end = flow.statements(&known.wiring.nodes(), vec![plain("object".into())]);
    flow.lines.push(&format!("ready([\"{READY}\"])"));
    flow.reach(end, "ready");
}

struct Flow<'a> {
    known: &'a ReconcilerInfo,
    lines: &'a mut Lines,
    branches: usize,
}

impl Flow<'_> {
    fn statements(&mut self, nodes: &[Node], from: From) -> From {
        nodes.iter().fold(from, |from, node| self.statement(node, from))
    }

    fn statement(&mut self, node: &Node, from: From) -> From {
        match node {
            Node::Call(step) => self.call(*step, from),
            Node::Skip { step, reason } => self.skip(*step, reason, from),
            Node::Branch(arms) => self.branch(arms, from),
            Node::Join(steps) => steps.iter().flat_map(|step| self.call(*step, from.clone())).collect(),
            Node::Loop { step, over } => {
                let each = |(id, _)| (id, format!("for each of {}", text(over)));
                self.call(*step, from.into_iter().map(each).collect())
            }
        }
    }

    fn call(&mut self, place: usize, from: From) -> From {
        let Some(step) = self.known.wiring.steps.get(place) else { return from };
        let here = step_id(place, step);
        self.lines.once(&format!("{here}[\"{}\"]", label(step)));
        self.reach(from, &here);
        vec![plain(here)]
    }

    fn skip(&mut self, place: usize, reason: &str, from: From) -> From {
        let Some(step) = self.known.wiring.steps.get(place) else { return from };
        let here = format!("skip_{}", step_id(place, step));
        self.lines.once(&format!("{here}[/\"{} is skipped: {}\"/]", step.name, text(reason)));
        self.reach(from, &here);
        vec![plain(here)]
    }

    fn branch(&mut self, arms: &[Arm], from: From) -> From {
        self.branches += 1;
        let here = format!("if{}", self.branches);
        self.lines.push(&format!("{here}{{\"if\"}}"));
        self.reach(from, &here);
        let arms = arms.iter().map(|arm| {
            let when = if arm.when.is_empty() { "else" } else { arm.when };
            self.statements(arm.nodes, vec![(here.clone(), text(when))])
        });
        arms.collect::<Vec<_>>().concat()
    }

    fn reach(&mut self, from: From, here: &str) {
        for (before, why) in from {
            self.lines.push(&match why.as_str() {
                "" => format!("{before} --> {here}"),
                why => format!("{before} -- \"{why}\" --> {here}"),
            });
        }
    }
}

fn plain(id: String) -> (String, String) {
    (id, String::new())
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;
    use crate::wiring::Wiring;

    fn drawn(shape: &'static [Node]) -> Vec<String> {
        let known = fixture::known();
        let known = ReconcilerInfo { wiring: Wiring { shape, ..known.wiring }, ..known };
        let graph = known.graph();
        let arrows = graph.lines().map(str::trim).filter(|line| line.contains("-->") && !line.contains("on_"));
        arrows.map(ToOwned::to_owned).collect()
    }

    #[test]
    fn a_branch_splits_and_joins() {
        const SHAPE: &[Node] = &[
            Node::Call(0),
            Node::Branch(&[
                Arm { when: "thing.spec.n > 1", nodes: &[Node::Call(1)] },
                Arm { when: "", nodes: &[Node::Skip { step: 1, reason: "NotAsked" }] },
            ]),
        ];
        let expected = [
            "object --> step1_fetch",
            "step1_fetch --> if1",
            "if1 -- \"thing.spec.n #gt; 1\" --> step2_store",
            "if1 -- \"else\" --> skip_step2_store",
            "step2_store --> ready",
            "skip_step2_store --> ready",
        ];
        assert_eq!(drawn(SHAPE), expected);
    }

    #[test]
    fn joined_steps_are_parallel_and_a_loop_is_labelled() {
        let side =
            ["object --> step1_fetch", "object --> step2_store", "step1_fetch --> ready", "step2_store --> ready"];
        assert_eq!(drawn(&[Node::Join(&[0, 1])]), side);
        let each = ["object -- \"for each of &items\" --> step1_fetch", "step1_fetch --> ready"];
        assert_eq!(drawn(&[Node::Loop { step: 0, over: "&items" }]), each);
    }
}
