//! Conditions and reasons in the wiring of a reconciler.

use evenkeel::Reconciler;
use evenkeel::condition::Polarity;
use evenkeel::wiring::StepWiring;
use kube::Resource;

use super::Coverage;

/// The default reason of a positive condition whose step succeeded.
const SUCCEEDED: &str = "Succeeded";

impl Coverage {
    /// Declares the conditions and reasons in the wiring of a reconciler.
    ///
    /// The reasons of a condition are:
    ///
    /// - the string literals with which a step sets it
    /// - the reasons of the step's errors, if an error may set the condition
    /// - `Succeeded`, if the condition is positive and the step sets no reason itself
    pub fn declare_reconciler<R: Reconciler>(&mut self) -> &mut Self {
        let plural = R::Object::plural(&());
        for step in R::WIRING.steps {
            for place in step.sets {
                // The compiler rejects a step that sets an undeclared condition.
                let Some(condition) = R::WIRING.conditions.get(*place) else { continue };
                self.declare(&plural, condition.type_, reasons(condition.polarity, step, *place));
            }
        }
        self
    }
}

fn reasons(polarity: Polarity, step: &StepWiring, place: usize) -> Vec<&'static str> {
    let literals = step.reasons.iter().filter(|(condition, _)| *condition == place).map(|(_, reason)| *reason);
    let mut reasons: Vec<&'static str> = literals.collect();
    if reasons.is_empty() && polarity == Polarity::Positive {
        reasons.push(SUCCEEDED);
    }
    if step.marks(place) {
        let errors = step.failures().filter(|error| error.class != "ignored");
        reasons.extend(errors.map(|error| error.reason));
    }
    reasons
}
