//! The processor time and memory of the pod, from the number of objects in its caches.

use k8s_openapi::api::core::v1::ResourceRequirements;
use k8s_openapi::apimachinery::pkg::api::resource::Quantity;

/// What the process needs without objects, in bytes.
const BASE: u64 = 40_000_000;
/// What it needs for each object, in bytes. The figures of this repository measure it, with glibc.
const PER_OBJECT: u64 = 8_000;
const MEBIBYTE: u64 = 1 << 20;

/// The requests, and a limit of memory. A limit of processor time would only pause the operator, and cost it the lease.
pub(super) fn resources(objects: u32) -> ResourceRequirements {
    let mebibytes = (BASE + PER_OBJECT * u64::from(objects)).div_ceil(MEBIBYTE);
    let memory = |mebibytes: u64| ("memory".to_owned(), Quantity(format!("{mebibytes}Mi")));
    ResourceRequirements {
        requests: Some([("cpu".to_owned(), Quantity("100m".to_owned())), memory(mebibytes)].into()),
        limits: Some([memory(2 * mebibytes)].into()),
        ..ResourceRequirements::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_with_the_objects() {
        let of = |objects: u32| {
            let resources = resources(objects);
            let (requests, limits) = (resources.requests.unwrap(), resources.limits.unwrap());
            assert!(!limits.contains_key("cpu"));
            (requests["memory"].0.clone(), limits["memory"].0.clone())
        };
        assert_eq!(of(0), ("39Mi".to_owned(), "78Mi".to_owned()));
        assert_eq!(of(1_000), ("46Mi".to_owned(), "92Mi".to_owned()));
        assert_eq!(of(1_000_000), ("7668Mi".to_owned(), "15336Mi".to_owned()));
        assert_eq!(of(u32::MAX).0, "32768039Mi");
    }
}
