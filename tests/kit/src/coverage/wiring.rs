//! What the wiring of a reconciler declares.

use evenkeel::Reconciler;
use evenkeel::condition::Polarity;
use evenkeel::wiring::StepWiring;
use kube::Resource;

use super::Coverage;

/// The reason of a positive condition whose step succeeded and said nothing else.
const SUCCEEDED: &str = "Succeeded";

impl Coverage {
    /// Declares what the wiring of a reconciler knows: each condition of a step with the reasons that it says as literals, those that an error
    /// may mark also with the reasons of the errors of the step; `Succeeded` for a positive one of which the step says nothing.
    pub fn declare_reconciler<R: Reconciler>(&mut self) -> &mut Self {
        let plural = R::Object::plural(&());
        for step in R::WIRING.steps {
            for place in step.sets {
                // A place without a condition is a mistake that the compiler tells of.
                let Some(condition) = R::WIRING.conditions.get(*place) else { continue };
                self.declare(&plural, condition.type_, reasons(condition.polarity, step, *place));
            }
        }
        self
    }
}

fn reasons(polarity: Polarity, step: &StepWiring, place: usize) -> Vec<&'static str> {
    let says = step.says.iter().filter(|(said, _)| *said == place).map(|(_, reason)| *reason);
    let mut reasons: Vec<&'static str> = says.collect();
    if reasons.is_empty() && polarity == Polarity::Positive {
        reasons.push(SUCCEEDED);
    }
    if step.marks(place) {
        let errors = step.failures().filter(|error| error.class != "ignored");
        reasons.extend(errors.map(|error| error.reason));
    }
    reasons
}
