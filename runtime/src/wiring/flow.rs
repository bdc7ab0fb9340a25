//! The control flow of a pipeline: the order, conditions and loops of its steps.

/// A statement of a pipeline. Steps are referenced by their index in [`Wiring::steps`](crate::wiring::Wiring::steps).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Node {
    /// Runs the step.
    Call(usize),
    /// Skips the step: `skip(step, "Reason")`.
    Skip {
        /// The index of the step.
        step: usize,
        /// The reason of the step's positive conditions, which are set to True.
        reason: &'static str,
    },
    /// Runs one of the arms: `if`, `else if`, `else`.
    Branch(&'static [Arm]),
    /// Runs the steps concurrently: `join(..)`.
    Join(&'static [usize]),
    /// Runs the step for every item: `for item in items`.
    Loop {
        /// The index of the step.
        step: usize,
        /// The expression of the loop, as written by the author.
        over: &'static str,
    },
}

/// An arm of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arm {
    /// The condition of the arm, as written by the author; empty for `else`.
    pub when: &'static str,
    /// The statements of the arm.
    pub nodes: &'static [Node],
}

/// Prints the control flow without the author's expressions: `0 (1|!1:NotNeeded) [2 3] 4*`.
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
    fn a_flow_description_omits_author_expressions() {
        assert_eq!(describe(SHAPE), "0 (1|!1:NotAsked) [2 3] 4*");
    }
}
