//! Metrics of the functions that answer requests of users. All series are created at the start.

use std::collections::HashMap;
use std::time::Duration;

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;

use super::families::Families;
use crate::pipeline::route::meter::{CountsRoutes, RouteResult};

/// The metrics of all routes.
pub(super) struct Routes(HashMap<&'static str, Route>);

struct Route {
    results: [Counter; RouteResult::ALL.len()],
    time: Histogram,
}

impl Routes {
    pub(super) fn new(families: &Families, functions: impl Iterator<Item = &'static str>) -> Self {
        let route = |function: &'static str| {
            let result = |result: RouteResult| {
                families.routes.get_or_create_owned(&[("function", function), ("result", result.as_str())])
            };
            let time = families.route_time.get_or_create_owned(&[("function", function)]);
            (function, Route { results: RouteResult::ALL.map(result), time })
        };
        Self(functions.map(route).collect())
    }
}

impl CountsRoutes for Routes {
    fn request(&self, function: &'static str, result: RouteResult, took: Duration) {
        let Some(route) = self.0.get(function) else { return };
        let place = RouteResult::ALL.iter().position(|one| *one == result);
        if let Some(counter) = place.and_then(|place| route.results.get(place)) {
            counter.inc();
        }
        route.time.observe(took.as_secs_f64());
    }
}
