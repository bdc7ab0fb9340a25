//! Where API servers send the objects of a kind that are to be converted.

/// The start of the path.
pub(crate) const CONVERSIONS: &str = "/convert/";

/// The path of the kind with this CRD. An operator without conversions recognises by it a CRD that relies on a newer one.
pub(crate) fn conversion_path(crd: &str) -> String {
    format!("{CONVERSIONS}{crd}")
}
