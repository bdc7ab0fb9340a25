//! Each metric and each label of an expression is in a scrape of a running operator.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use evenkeel::Replicas;
use evenkeel_tests::listener::{listening, samples};
use evenkeel_tests::test_env::Running;
use promql_parser::label::{MatchOp, Matcher};
use promql_parser::parser::{Expr, LabelModifier, VectorSelector, parse};
use promql_parser::util::{ExprVisitor, walk_expr};
use serde_json::Value;

use crate::kinds::{a_task, cluster_with_versions};
use crate::webhooks::serving;

/// The labels that Prometheus adds to each series.
const OF_THE_TARGET: [&str; 3] = ["job", "namespace", "instance"];

/// The series of a scrape: the name and the labels.
type Series = (String, BTreeMap<String, String>);

fn series(sample: &str) -> Series {
    let (name, labels) = sample.split_once('{').unwrap_or((sample, "}"));
    let labels = labels.trim_end_matches('}').split("\",").filter(|label| !label.is_empty()).map(|label| {
        let (name, value) = label.split_once("=\"").unwrap();
        (name.to_owned(), value.trim_end_matches('"').to_owned())
    });
    (name.to_owned(), labels.collect())
}

/// A scrape of an operator with everything, after one pass of a task that does not fail.
struct Scraped {
    scrape: Vec<Series>,
    /// The expressions of its alerts and panels.
    expressions: Vec<String>,
    /// The labels of each metric in its contract.
    contract: BTreeMap<String, BTreeSet<String>>,
}

async fn scraped() -> Scraped {
    let cluster = cluster_with_versions().await;
    let (operator, _) = serving(&cluster, |server| server);
    let operator = operator.replicas_with(Replicas { namespace: Some("default".to_owned()), ..Replicas::default() });
    let contract = operator.contract().metrics;
    let alerts = operator.alert_set().alerts.into_iter().map(|alert| alert.query);
    let expressions = alerts.chain(panels(&operator.dashboard())).collect();
    let (operator, address) = listening(operator);
    let running = Running::start(operator);
    cluster.seed(&a_task("a", "done")).await.unwrap();
    let passed = || async {
        let samples = samples(address).await;
        let has_passed = samples["controller_runtime_reconcile_total{controller=\"task\",result=\"success\"}"] > 0.0;
        has_passed.then_some(samples)
    };
    evenkeel_testkit::eventually(Duration::from_secs(60), passed).await;
    let samples = samples(address).await;
    running.crash().await;
    Scraped { scrape: samples.keys().map(|sample| series(sample)).collect(), expressions, contract }
}

/// The expressions of a dashboard, with values for the variables of Grafana.
pub fn panels(dashboard: &Value) -> Vec<String> {
    let targets = dashboard["panels"].as_array().unwrap().iter().flat_map(|panel| panel["targets"].as_array());
    let expressions = targets.flatten().map(|target| target["expr"].as_str().unwrap());
    expressions.map(filled).collect()
}

/// The expression with values for the variables of Grafana.
pub fn filled(expression: &str) -> String {
    let filled = expression.replace("$__rate_interval", "2m").replace("$job", crate::promtool::JOB);
    filled.replace("$namespace", ".*")
}

/// Collects the selectors of an expression, with the labels by which their values are combined.
#[derive(Default)]
struct Selectors {
    /// The labels of the aggregations around the current place.
    around: Vec<Vec<String>>,
    found: Vec<(VectorSelector, BTreeSet<String>)>,
}

impl ExprVisitor for Selectors {
    type Error = ();

    fn pre_visit(&mut self, expr: &Expr) -> Result<bool, ()> {
        match expr {
            Expr::Aggregate(aggregate) => self.around.push(match &aggregate.modifier {
                Some(LabelModifier::Include(labels) | LabelModifier::Exclude(labels)) => labels.labels.clone(),
                None => Vec::new(),
            }),
            Expr::VectorSelector(selector) => self.find(selector),
            Expr::MatrixSelector(matrix) => self.find(&matrix.vs),
            _ => {}
        }
        Ok(true)
    }

    fn post_visit(&mut self, expr: &Expr) -> Result<bool, ()> {
        if matches!(expr, Expr::Aggregate(_)) {
            self.around.pop();
        }
        Ok(true)
    }
}

impl Selectors {
    fn find(&mut self, selector: &VectorSelector) {
        let labels = self.around.iter().flatten().cloned().collect();
        self.found.push((selector.clone(), labels));
    }
}

fn selectors(expression: &str) -> Vec<(VectorSelector, BTreeSet<String>)> {
    let expr = parse(expression).unwrap_or_else(|error| panic!("{error}: {expression}"));
    let mut selectors = Selectors::default();
    walk_expr(&mut selectors, &expr).unwrap();
    selectors.found
}

/// Whether the series has the label with such a value. The code of an answer need not have occurred.
fn fits((_, labels): &Series, matcher: &Matcher) -> bool {
    let is_of_target = OF_THE_TARGET.contains(&&*matcher.name);
    let Some(value) = labels.get(&matcher.name) else { return is_of_target };
    matcher.name == "code"
        || match &matcher.op {
            MatchOp::Equal => *value == matcher.value,
            MatchOp::NotEqual => *value != matcher.value,
            // The values are alternatives without further syntax.
            MatchOp::Re(_) => matcher.value.split('|').any(|one| one == value),
            MatchOp::NotRe(_) => matcher.value.split('|').all(|one| one != value),
        }
}

#[tokio::test]
async fn each_metric_and_each_label_is_in_a_scrape() {
    let Scraped { scrape, expressions, .. } = scraped().await;
    assert!(expressions.len() > 40, "{}", expressions.len());
    for expression in &expressions {
        let selectors = selectors(expression);
        assert!(!selectors.is_empty(), "{expression}");
        for (selector, labels) in selectors {
            let name = selector.name.clone().unwrap();
            let of_metric: Vec<&Series> = scrape.iter().filter(|(other, _)| *other == name).collect();
            assert!(!of_metric.is_empty(), "no metric {name}, for {expression}");
            let matchers = &selector.matchers.matchers;
            let chosen: Vec<_> =
                of_metric.iter().filter(|one| matchers.iter().all(|matcher| fits(one, matcher))).collect();
            assert!(!chosen.is_empty(), "no series fits {selector} of {expression}, but {of_metric:#?}");
            for label in labels.iter().filter(|label| !OF_THE_TARGET.contains(&&***label)) {
                assert!(
                    chosen.iter().all(|(_, own)| own.contains_key(label)),
                    "no label {label} of {name}: {expression}"
                );
            }
        }
    }
}

#[tokio::test]
async fn each_alternative_of_a_matcher_has_a_series() {
    let Scraped { scrape, expressions, .. } = scraped().await;
    for expression in &expressions {
        for (selector, _) in selectors(expression) {
            let name = selector.name.clone().unwrap();
            let several = selector.matchers.matchers.iter().filter(|matcher| matches!(matcher.op, MatchOp::Re(_)));
            for matcher in several.filter(|matcher| !["code", "namespace"].contains(&&*matcher.name)) {
                for value in matcher.value.split('|') {
                    let has = |(other, labels): &Series| {
                        *other == name && labels.get(&matcher.name).is_some_and(|own| own == value)
                    };
                    assert!(scrape.iter().any(has), "no {name} with {}=\"{value}\": {expression}", matcher.name);
                }
            }
        }
    }
}

#[tokio::test]
async fn the_contract_has_each_metric_of_a_scrape_with_its_labels() {
    let Scraped { scrape, contract, .. } = scraped().await;
    let whole = |name: &str| {
        let suffix = ["_bucket", "_count", "_sum"].into_iter().find_map(|suffix| name.strip_suffix(suffix));
        suffix.filter(|base| contract.contains_key(*base)).unwrap_or(name).to_owned()
    };
    let mut scraped: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, labels) in &scrape {
        let labels = labels.keys().filter(|label| *label != "le").cloned();
        scraped.entry(whole(name)).or_default().extend(labels);
    }
    // Without memory on this system, the metric is not there.
    let has_memory = scraped.contains_key("process_resident_memory_bytes");
    let contract: BTreeMap<_, _> =
        contract.clone().into_iter().filter(|(name, _)| has_memory || !name.starts_with("process_")).collect();
    assert_eq!(scraped, contract);
}
