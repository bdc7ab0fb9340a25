//! The metrics of conversions. All series are created at the start.

use std::collections::HashMap;
use std::sync::Arc;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;

use super::builder::Operator;
use crate::conversion::{ConversionResult, Converter, CountsConversions};

type Labels = Vec<(&'static str, String)>;
type Results = [Counter; ConversionResult::ALL.len()];

/// The counters by CRD and version.
struct Conversions(HashMap<(String, String), Results>);

/// Registers the metrics of an operator with conversions, and connects them.
pub(super) fn register(operator: &mut Operator, converters: &[Converter]) {
    let Some(slot) = &operator.reviews.conversions else { return };
    let family = Family::<Labels, Counter>::default();
    let help = "Conversions of objects, by CRD, requested version and result";
    operator.custom.framework.register("evenkeel_conversions", help, family.clone());
    let mut series = HashMap::new();
    for converter in converters {
        for version in converter.versions() {
            let labels = |result: ConversionResult| {
                let result = result.as_str().to_owned();
                vec![("crd", converter.crd().to_owned()), ("version", version.to_owned()), ("result", result)]
            };
            let results = ConversionResult::ALL.map(|result| family.get_or_create_owned(&labels(result)));
            series.insert((converter.crd().to_owned(), version.to_owned()), results);
        }
    }
    slot.connect(Arc::new(Conversions(series)));
}

impl CountsConversions for Conversions {
    fn conversion(&self, crd: &str, version: &str, result: ConversionResult) {
        // A version that the program does not have is in the log.
        let Some(results) = self.0.get(&(crd.to_owned(), version.to_owned())) else { return };
        let place = ConversionResult::ALL.iter().position(|one| *one == result);
        if let Some(counter) = place.and_then(|place| results.get(place)) {
            counter.inc();
        }
    }
}
