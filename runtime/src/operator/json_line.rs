//! One log event is one line of JSON: no field of an object can forge another line or move the terminal cursor.

use std::fmt::Write as _;
use std::io::{self, Write};

/// Escapes the control characters that JSON allows in strings. They occur only there, so that the line remains JSON.
pub(super) struct JsonLine<W>(pub(super) W);

impl<W: Write> Write for JsonLine<W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.0.write_all(escaped(&String::from_utf8_lossy(line)).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn escaped(line: &str) -> String {
    let is_raw = |c: char| ('\u{7f}'..='\u{9f}').contains(&c) || matches!(c, '\u{2028}' | '\u{2029}');
    line.chars().fold(String::with_capacity(line.len()), |mut text, c| {
        match is_raw(c) {
            true => drop(write!(text, "\\u{:04x}", u32::from(c))),
            false => text.push(c),
        }
        text
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use tracing_subscriber::layer::SubscriberExt;

    use crate::logged::Sink;

    #[test]
    fn each_event_is_one_json_object_with_its_pass() {
        let controls: String = (0..0xa0).chain([0x2028, 0x2029]).filter_map(char::from_u32).collect();
        let (sink, text) = (Sink::default(), format!("{controls}{{\"level\":\"INFO\"}}"));
        let writer = sink.clone();
        let lines = super::super::log::objects_to(move || writer.clone());
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            let span = tracing::info_span!("pass", object = %text, reconcile_id = "7", outcome = tracing::field::Empty);
            let _inside = span.enter();
            span.record("outcome", "Done");
            tracing::warn!(duration_ms = 3, error = %text, "step failed");
        });
        let log = sink.text();
        let is_raw = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
        assert!(log.lines().count() == 1 && !log.contains(is_raw), "{log:?}");
        let event: Value = serde_json::from_str(&log).unwrap();
        let of_event = ["level", "message", "error", "duration_ms"].map(|name| event[name].clone());
        assert_eq!(of_event, [Value::from("WARN"), "step failed".into(), text.as_str().into(), 3.into()]);
        let pass = ["object", "reconcile_id", "outcome"].map(|name| event["spans"][0][name].clone());
        assert_eq!(pass, [Value::from(text), "7".into(), "Done".into()]);
    }
}
