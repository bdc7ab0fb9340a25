//! A served version of an operator, without its types.

use super::spoke::Spoke;
use super::wiring::ConversionWiring;
use crate::kind::KindInfo;

/// A served version, without its types.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct RegisteredSpoke {
    pub spoke: KindInfo,
    pub hub: KindInfo,
    pub wiring: ConversionWiring,
}

impl RegisteredSpoke {
    /// The version of this type.
    #[must_use]
    pub fn of<S: Spoke>() -> Self {
        let wiring = S::CONVERSION;
        Self { spoke: (wiring.spoke.kind)(), hub: (wiring.hub.kind)(), wiring }
    }

    /// `GitRepository (source.evenkeel.dev/v1beta1)`.
    pub(crate) fn name(&self) -> String {
        described(&self.spoke)
    }

    /// The name of the CRD.
    pub(crate) fn crd_name(&self) -> String {
        let resource = &self.hub.resource;
        format!("{}.{}", resource.plural, resource.group)
    }
}

/// `GitRepository (source.evenkeel.dev/v1)`.
pub(crate) fn described(kind: &KindInfo) -> String {
    format!("{} ({})", kind.resource.kind, kind.resource.api_version)
}
