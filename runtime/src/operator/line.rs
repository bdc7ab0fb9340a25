//! One event of the log, one line: no field of an object can forge another one.

use std::borrow::Cow;
use std::io::{self, Write};

/// Writes each event, which comes as a whole, as one line.
pub(super) struct OneLine<W>(pub(super) W);

impl<W: Write> Write for OneLine<W> {
    fn write(&mut self, event: &[u8]) -> io::Result<usize> {
        self.0.write_all(&in_one_line(event))?;
        Ok(event.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Escapes control characters but the newline at the end and the colours of the subscriber.
fn in_one_line(event: &[u8]) -> Cow<'_, [u8]> {
    let (text, end) = event.strip_suffix(b"\n").map_or((event, &b""[..]), |text| (text, b"\n"));
    if !text.iter().any(u8::is_ascii_control) {
        return Cow::Borrowed(event);
    }
    let mut line = Vec::with_capacity(event.len() + 8);
    for (at, byte) in text.iter().enumerate() {
        if byte.is_ascii_control() && !is_colour(&text[at..]) {
            line.extend(byte.escape_ascii());
        } else {
            line.push(*byte);
        }
    }
    line.extend_from_slice(end);
    Cow::Owned(line)
}

/// Whether this begins with a change of the colour, such as `ESC[31m`: the one escape sequence that moves nothing.
fn is_colour(text: &[u8]) -> bool {
    let codes = text.strip_prefix(b"\x1b[").unwrap_or_default();
    let end = codes.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';');
    end.is_some_and(|end| codes[end] == b'm')
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::SubscriberExt;

    use super::*;

    #[derive(Clone, Default)]
    struct Sink(Arc<Mutex<Vec<u8>>>);

    impl Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_field_that_holds_newlines_forges_no_line() {
        let sink = Sink::default();
        let writer = sink.clone();
        let lines = super::super::log::lines_to(move || writer.clone(), false);
        let forged = "x\n2026-01-01T00:00:00Z  INFO pass ended object=team-a/other\r\u{1b}[2J";
        tracing::subscriber::with_default(tracing_subscriber::registry().with(lines), || {
            tracing::warn!(object = %forged, text = forged, "refused: {forged}");
            tracing::info!("next");
        });
        let log = String::from_utf8(sink.0.lock().unwrap().clone()).unwrap();
        assert_eq!(log.lines().count(), 2, "{log}");
        assert!(log.lines().all(|line| !line.contains(|c: char| c.is_control())), "{log:?}");
        assert_eq!(log.matches(r"x\n2026").count(), 3, "{log}");
    }
}
