//! The routes of an operator: their table, their RBAC rules, and their service on the webhook server.

use axum::Router;
use axum::routing::any_service;

use super::builder::Operator;
use super::controller::OperatorContext;
use super::error::{Error, Reason, Result};
use crate::caller::Access;
use crate::introspection::{self, RbacRule, RouteInfo};
use crate::route::{Objects, Route, RouteService, Table};
use crate::watch::Primaries;

/// The routes by their paths.
///
/// # Errors
/// The routes contradict each other.
pub(super) fn table(operator: &Operator) -> Result<Table> {
    let refused = |refusal: crate::route::Refusal| Error::new(Reason::Setup, refusal.headline, refusal.help);
    Table::new(&operator.reviews.routes).map_err(refused)
}

/// What the manifest shows of the routes.
pub(super) fn infos(operator: &Operator) -> Vec<RouteInfo> {
    operator.reviews.routes.iter().map(Route::info).collect()
}

/// The RBAC rules of the operator, with those that its routes need.
pub(super) fn with_routes(operator: &Operator, rules: Vec<RbacRule>) -> Vec<RbacRule> {
    introspection::with_routes(rules, operator.reviews.routes.iter().map(Route::kind))
}

/// Adds the routes to the router of the webhook server.
///
/// # Errors
/// The routes contradict each other.
pub(super) fn serve(
    router: Router,
    operator: &Operator,
    context: &OperatorContext,
    audience: String,
) -> Result<Router> {
    let routes = &operator.reviews.routes;
    if routes.is_empty() {
        return Ok(router);
    }
    let client = context.client.clone();
    let reconciled = context.reconciled.clone();
    let objects = Objects { client: client.clone(), reconciled, scope: context.scope.clone() };
    let meter = context.telemetry.routes(routes.iter().map(|route| route.wiring().name));
    let service = RouteService::new(table(operator)?, Access::new(client, Some(audience)), objects, meter);
    let paths = ["/api/{*path}", "/apis/{*path}"];
    Ok(paths.into_iter().fold(router, |router, path| router.route_service(path, any_service(service.clone()))))
}

/// Where the caches of the reconciled kinds are stored for routes.
pub(super) fn reconciled(operator: &Operator) -> Primaries {
    if operator.reviews.routes.is_empty() { Primaries::default() } else { Primaries::stored() }
}

/// Warns of routes without a server.
pub(super) fn warn_if_unserved(operator: &Operator) {
    if let (Some(route), None) = (operator.reviews.routes.first(), &operator.reviews.server) {
        let route = route.wiring().name;
        tracing::warn!(route, "the routes are not served: add a server by `.webhooks(..)` or `--webhooks`");
    }
}
