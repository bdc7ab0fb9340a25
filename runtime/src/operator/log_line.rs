//! One log event is one line: no field of an object can forge another line or move the terminal cursor.

use std::fmt;

use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::FormatFields;
use tracing_subscriber::fmt::format::{DefaultFields, Writer};

use crate::condition::escape;

/// Formats fields as the default formatter does, and escapes their control characters. The colours of a line are outside the fields, so an
/// escape sequence inside a field can only come from a value.
pub(super) struct OneLine;

impl<'w> FormatFields<'w> for OneLine {
    fn format_fields<R: RecordFields>(&self, mut writer: Writer<'w>, fields: R) -> fmt::Result {
        let mut text = String::new();
        DefaultFields::new().format_fields(Writer::new(&mut text), fields)?;
        writer.write_str(&escape(text))
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use tracing_subscriber::layer::SubscriberExt;

    use crate::logged::Sink;

    /// The log of one line with this text in every possible position, and of a second line without it.
    fn logged(text: &str, colours: bool) -> String {
        let sink = Sink::default();
        let writer = sink.clone();
        let lines = super::super::log::lines_to(move || writer.clone(), colours);
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            let span = tracing::info_span!("pass", object = %text, later = tracing::field::Empty);
            let _inside = span.enter();
            span.record("later", tracing::field::display(text));
            let error = io::Error::other(text.to_owned());
            tracing::warn!(object = %text, text, error = &error as &dyn std::error::Error, "refused: {text}");
            tracing::info!("next");
        });
        sink.text()
    }

    #[test]
    fn newlines_in_a_field_do_not_forge_log_lines() {
        let log = logged("x\n2026-01-01T00:00:00Z  INFO pass ended object=team-a/other\r", false);
        assert_eq!(log.lines().count(), 2, "{log}");
        assert_eq!(
            log.matches(r"x\n2026").count(),
            8,
            "four places of the event, two of its span in both lines: {log}"
        );
    }

    #[test]
    fn control_characters_are_escaped_in_the_log() {
        let controls = (0..0x20).chain(0x7f..0xa0).chain([0x2028, 0x2029]).filter_map(char::from_u32);
        for control in controls {
            let log = logged(&format!("a{control}[31mb"), false);
            let is_raw = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
            assert!(!log.contains(is_raw) && log.lines().count() == 2, "{log:?}");
        }
    }

    #[test]
    fn escape_sequences_in_values_do_not_colour_the_log() {
        let colours = |text| logged(text, true).matches('\u{1b}').count();
        assert!(colours("plain") > 0);
        assert_eq!(colours("\u{1b}[31mred\u{1b}[0m"), colours("plain"));
    }
}
