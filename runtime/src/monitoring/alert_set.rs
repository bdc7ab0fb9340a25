//! The alerts of an operator, as values that an author can change.

use std::sync::Arc;

use super::alert::{Alert, AlertName};
use super::monitored::Monitored;
use super::{reconciler_alerts, replica_alerts, webhook_alerts};

/// The alerts of an operator.
///
/// [`Operator::alerts`](crate::Operator::alerts) changes them before they are printed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AlertSet {
    /// The alerts, in the order in which they are printed.
    pub alerts: Vec<Alert>,
    /// The URL of the page that `docs` prints. The annotation `runbook_url` of each alert is this URL with the name of the section.
    ///
    /// `None`: the URLs are those of the guide of evenkeel, which describes the same alerts without the names of the operator.
    pub runbooks: Option<String>,
    /// The name of the operator.
    pub(super) operator: String,
}

type Edit = Arc<dyn Fn(&mut AlertSet) + Send + Sync>;

/// The author's changes of the alerts, in the order in which they were registered.
#[derive(Clone, Default)]
pub(crate) struct AlertEdits(Vec<Edit>);

impl AlertEdits {
    pub(crate) fn add(&mut self, edit: impl Fn(&mut AlertSet) + Send + Sync + 'static) {
        self.0.push(Arc::new(edit));
    }
}

/// The alerts for an operator whose metrics Prometheus has under this job, with the changes of the author.
pub(crate) fn alert_set(monitored: &Monitored, job: &str, edits: &AlertEdits) -> AlertSet {
    let alerts = [
        reconciler_alerts::alerts(monitored, job),
        replica_alerts::alerts(monitored, job),
        webhook_alerts::alerts(monitored, job),
    ];
    let mut set = AlertSet { alerts: alerts.concat(), runbooks: None, operator: monitored.name.clone() };
    edits.0.iter().for_each(|edit| edit(&mut set));
    set
}

impl AlertSet {
    /// Changes one of the alerts that evenkeel prints. An operator without replicas or webhooks lacks some of them; then nothing happens.
    pub fn change(&mut self, name: AlertName, change: impl FnOnce(&mut Alert)) {
        if let Some(alert) = self.alerts.iter_mut().find(|alert| alert.name == name.as_str()) {
            change(alert);
        }
    }

    /// The name of an alert in the rules, with that of the operator before it: `GreeterStalled`.
    pub(super) fn full_name(&self, alert: &Alert) -> String {
        let words = self.operator.split(|c: char| !c.is_ascii_alphanumeric());
        let camel = words.flat_map(|word| {
            let mut chars = word.chars();
            chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars)
        });
        camel.collect::<String>() + &alert.name
    }

    /// The URL of the section about the alert.
    pub(super) fn runbook_url(&self, alert: &Alert) -> Option<String> {
        let (page, heading) = match &self.runbooks {
            Some(page) => (&**page, self.full_name(alert)),
            // The guide has no section for an alert of the author.
            None if alert.runbook.is_empty() => return None,
            None => (GUIDE, alert.name.clone()),
        };
        Some(format!("{page}#{}", heading.to_lowercase()))
    }
}

/// The page of the guide that describes the alerts.
const GUIDE: &str = "https://docs.rs/evenkeel/latest/evenkeel/guide/monitoring/index.html";

#[cfg(test)]
mod tests {
    use super::*;

    fn set(operator: &str) -> AlertSet {
        AlertSet { alerts: Vec::new(), runbooks: None, operator: operator.to_owned() }
    }

    #[test]
    fn a_name_begins_with_that_of_the_operator() {
        let alert = Alert::new("Stalled", "up", "text");
        assert_eq!(set("shop-operator").full_name(&alert), "ShopOperatorStalled");
        assert_eq!(set("greeter").full_name(&alert), "GreeterStalled");
    }

    #[test]
    fn a_runbook_is_on_the_page_of_the_author_if_there_is_one() {
        let alert = Alert { runbook: "Look.".to_owned(), ..Alert::new("Disk", "up", "text") };
        let mut set = set("shop");
        assert_eq!(set.runbook_url(&alert).as_deref(), Some(&*format!("{GUIDE}#disk")));
        assert_eq!(set.runbook_url(&Alert::new("Disk", "up", "text")), None);
        set.runbooks = Some("https://example.com/docs.md".to_owned());
        assert_eq!(set.runbook_url(&alert).as_deref(), Some("https://example.com/docs.md#shopdisk"));
    }
}
