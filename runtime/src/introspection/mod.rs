//! Generated knowledge: what the wiring of a reconciler says, as a graph, a reference page, a contract, and a list of rights.
//!
//! All of it is computed from [`Reconciler::WIRING`], so it cannot drift from the code. The command line prints it
//! (`wiring`, `docs`, `contract`, `rights`); a test may compare it with what is in the repository.

mod contract;
mod error;
#[cfg(test)]
mod fixture;
mod flow;
mod graph;
mod page;
mod printer_column;
mod rbac;
mod reason;
mod table;

pub use self::contract::{Change, ConditionContract, Contract, ReconcilerContract, Semver};
pub use self::rbac::{Right, Verb};

#[cfg(feature = "operator")]
pub(crate) use self::printer_column::add_columns;
pub use self::printer_column::crd;
#[cfg(feature = "operator")]
pub(crate) use self::rbac::{rights, text};
use crate::pipeline::reconciler::Reconciler;
use crate::wiring::{KindInfo, Wiring};

/// What is known of one reconciler within an operator.
///
/// ```ignore
/// let known = Knowledge::of::<git_repository>("source-controller");
/// println!("{}", known.graph());
/// ```
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// What the macros found out.
    pub wiring: Wiring,
    /// The reconciled kind.
    pub kind: KindInfo,
    /// The field manager of all that it writes.
    pub manager: String,
    /// The finalizer that it puts on its objects; `None` where no step is external.
    pub finalizer: Option<String>,
}

impl Knowledge {
    /// What is known of a reconciler in the operator of the name.
    #[must_use]
    pub fn of<R: Reconciler>(operator: &str) -> Self {
        let kind = KindInfo::of::<R::Object>();
        let wiring = R::WIRING;
        let manager = wiring.manager_under(operator);
        let finalizer = wiring.needs_finalizer().then(|| wiring.finalizer_under(operator, &kind.resource.group));
        Self { wiring, kind, manager, finalizer }
    }

    /// The names of conditions at these places.
    fn conditions(&self, places: &[usize]) -> Vec<&'static str> {
        let known = places.iter().filter_map(|place| self.wiring.conditions.get(*place));
        known.map(|info| info.type_).collect()
    }
}
