//! Panels of Grafana as JSON.

use serde_json::{Value, json};

/// The columns of a dashboard.
const COLUMNS: u64 = 24;
const HEIGHT: u64 = 8;

/// A panel with lines over time.
pub(super) struct Panel {
    title: String,
    /// The text behind the `i` of the panel.
    help: &'static str,
    unit: &'static str,
    /// The columns that it takes.
    width: u64,
    /// Each query with the name of its lines, in which `{{label}}` is the value of a label.
    queries: Vec<(String, &'static str)>,
}

/// A row of panels, with its title.
pub(super) struct Row {
    pub(super) title: String,
    pub(super) panels: Vec<Panel>,
}

impl Panel {
    /// A panel that takes a third of the row, without a unit.
    pub(super) fn new(title: impl Into<String>, help: &'static str) -> Self {
        Self { title: title.into(), help, unit: "short", width: COLUMNS / 3, queries: Vec::new() }
    }

    /// The unit of the values, as Grafana calls it.
    pub(super) fn unit(self, unit: &'static str) -> Self {
        Self { unit, ..self }
    }

    pub(super) fn query(mut self, query: String, legend: &'static str) -> Self {
        self.queries.push((query, legend));
        self
    }

    fn json(&self, id: u64, (x, y): (u64, u64)) -> Value {
        let source = datasource();
        let target = |(at, (query, legend)): (usize, &(String, &str))| {
            let letter = char::from(b'A' + u8::try_from(at).unwrap_or(25).min(25));
            json!({ "datasource": source, "expr": query, "legendFormat": legend, "refId": letter.to_string() })
        };
        json!({
            "id": id,
            "type": "timeseries",
            "title": self.title,
            "description": self.help,
            "datasource": source,
            "gridPos": { "x": x, "y": y, "w": self.width, "h": HEIGHT },
            "fieldConfig": { "defaults": { "unit": self.unit, "min": 0 }, "overrides": [] },
            "options": { "legend": { "displayMode": "list", "placement": "bottom" }, "tooltip": { "mode": "multi" } },
            "targets": self.queries.iter().enumerate().map(target).collect::<Vec<_>>(),
        })
    }
}

/// The data source that the user of the dashboard selects.
pub(super) fn datasource() -> Value {
    json!({ "type": "prometheus", "uid": "${datasource}" })
}

/// The rows with their panels, from left to right and from top to bottom.
pub(super) fn layout(rows: &[Row]) -> Vec<Value> {
    let (mut placed, mut y) = (Vec::new(), 0);
    for row in rows {
        let id = |placed: &Vec<Value>| placed.len() as u64 + 1;
        placed.push(json!({
            "id": id(&placed), "type": "row", "title": row.title, "collapsed": false, "panels": [],
            "gridPos": { "x": 0, "y": y, "w": COLUMNS, "h": 1 },
        }));
        y += 1;
        let mut x = 0;
        for panel in &row.panels {
            if x + panel.width > COLUMNS {
                (x, y) = (0, y + HEIGHT);
            }
            placed.push(panel.json(id(&placed), (x, y)));
            x += panel.width;
        }
        y += HEIGHT;
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_panel_of_a_row_is_below_the_first() {
        let panels = || (0..4).map(|at| Panel::new(format!("{at}"), "")).collect();
        let placed =
            layout(&[Row { title: "a".into(), panels: panels() }, Row { title: "b".into(), panels: panels() }]);
        let places: Vec<(u64, u64)> = placed
            .iter()
            .map(|panel| (panel["gridPos"]["x"].as_u64().unwrap(), panel["gridPos"]["y"].as_u64().unwrap()))
            .collect();
        let first = [(0, 0), (0, 1), (8, 1), (16, 1), (0, 9)];
        let second = first.map(|(x, y)| (x, y + 17));
        assert_eq!(places, [first, second].concat());
        let ids: Vec<u64> = placed.iter().map(|panel| panel["id"].as_u64().unwrap()).collect();
        assert_eq!(ids, (1..=10).collect::<Vec<_>>());
    }
}
