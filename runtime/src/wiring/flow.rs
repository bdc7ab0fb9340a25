//! The shape of a pipeline: in which order, on which condition and how often its steps run.

/// One statement of a pipeline. Steps are named by their place in [`Wiring::steps`](crate::wiring::Wiring::steps).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The step runs.
    Call(usize),
    /// The step does not run: `skip(step, "Reason")`.
    Skip {
        /// Which step.
        step: usize,
        /// The reason that its positive conditions give for being True.
        reason: &'static str,
    },
    /// One of the arms runs: `if`, `else if`, `else`.
    Branch(&'static [Arm]),
    /// The steps run concurrently: `join(..)`.
    Join(&'static [usize]),
    /// The step runs for every item: `for item in items`.
    Loop {
        /// Which step.
        step: usize,
        /// What it loops over, as the author wrote it.
        over: &'static str,
    },
}

/// One arm of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The condition as the author wrote it; empty for `else`.
    pub when: &'static str,
    /// What runs under it.
    pub nodes: &'static [Node],
}

/// The shape in short, without the author's expressions: `0 (1|!1:NotNeeded) [2 3] 4*`.
pub(crate) fn describe(nodes: &[Node]) -> String {
    nodes.iter().map(node).collect::<Vec<_>>().join(" ")
}

fn node(node: &Node) -> String {
    match node {
        Node::Call(step) => step.to_string(),
        Node::Skip { step, reason } => format!("!{step}:{reason}"),
        Node::Branch(arms) => {
            let arms: Vec<_> = arms.iter().map(|arm| describe(arm.nodes)).collect();
            format!("({})", arms.join("|"))
        }
        Node::Join(steps) => {
            let steps: Vec<_> = steps.iter().map(usize::to_string).collect();
            format!("[{}]", steps.join(" "))
        }
        Node::Loop { step, .. } => format!("{step}*"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: &[Node] = &[
        Node::Call(0),
        Node::Branch(&[
            Arm { when: "repo.spec.verify", nodes: &[Node::Call(1)] },
            Arm { when: "", nodes: &[Node::Skip { step: 1, reason: "NotAsked" }] },
        ]),
        Node::Join(&[2, 3]),
        Node::Loop { step: 4, over: "&repo.spec.tags" },
    ];

    #[test]
    fn a_description_leaves_the_expressions_of_the_author_out() {
        assert_eq!(describe(SHAPE), "0 (1|!1:NotAsked) [2 3] 4*");
    }
}
