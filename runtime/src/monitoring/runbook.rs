//! The sections about alerts on the page that `docs` prints.

use super::alert::{Alert, Comparison, duration};
use super::alert_set::AlertSet;

/// The sections: what each alert means, what to look at, and how to fix it. Their names are in the URLs of the alerts.
pub(crate) fn runbook(set: &AlertSet) -> String {
    let sections = set.alerts.iter().map(|alert| section(set, alert));
    let introduction = "# Alerts\n\nThe rules that the command `alerts` prints. The annotation `runbook_url` of each one leads to its section.\n";
    std::iter::once(introduction.to_owned()).chain(sections).collect::<Vec<_>>().join("\n")
}

fn section(set: &AlertSet, alert: &Alert) -> String {
    let side = match alert.comparison {
        Comparison::Above => "above",
        Comparison::Below => "below",
    };
    let lasts = if alert.lasts.is_zero() { String::new() } else { format!(" for {}", duration(alert.lasts)) };
    let fires = format!("Fires when the value is {side} {}{lasts}. Severity: {}.", alert.threshold, alert.severity);
    let head =
        format!("## {}\n\n{}. {fires}\n\n```promql\n{}\n```\n", set.full_name(alert), alert.summary, alert.query);
    match alert.runbook.trim_end() {
        "" => head,
        text => format!("{head}\n{text}\n"),
    }
}
