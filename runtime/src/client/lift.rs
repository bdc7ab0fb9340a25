//! Lifting objects out of the lines of a watch as they arrive, so that what is decoded is the object and not the line around it.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame};

use crate::decode::Shelf;
use crate::quote::newline;

/// More room than this is given back after a line.
const ROOM: usize = 64 * 1024;

/// A watch as it arrives, in whose lines a ticket stands for the object, which is on the shelf. Lines of any other form, and all without a
/// shelf, pass as they are.
pub(super) struct Lifted<B> {
    inner: B,
    lines: Option<Lines>,
}

struct Lines {
    shelf: Shelf,
    /// What is there of the next one.
    line: Vec<u8>,
    ready: VecDeque<Bytes>,
}

impl<B> Lifted<B> {
    pub(super) fn new(inner: B, shelf: Option<Shelf>) -> Self {
        Self { inner, lines: shelf.map(Lines::new) }
    }
}

impl Lines {
    fn new(shelf: Shelf) -> Self {
        Self { shelf, line: Vec::new(), ready: VecDeque::new() }
    }

    fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(end) = newline(bytes) {
            let (head, rest) = bytes.split_at(end + 1);
            self.line.extend_from_slice(head);
            self.ready.push_back(match object(&self.line) {
                Some((type_, text)) => {
                    format!("{{\"type\":\"{type_}\",\"object\":{}}}\n", self.shelf.put(text.to_owned())).into()
                }
                None => Bytes::copy_from_slice(&self.line),
            });
            self.line.clear();
            self.line.shrink_to(ROOM);
            bytes = rest;
        }
        self.line.extend_from_slice(bytes);
    }
}

impl<B: Body<Data = Bytes> + Unpin> Body for Lifted<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let Self { inner, lines } = &mut *self;
        let Some(lines) = lines else { return Pin::new(inner).poll_frame(cx) };
        loop {
            if let Some(bytes) = lines.ready.pop_front() {
                return Poll::Ready(Some(Ok(Frame::data(bytes))));
            }
            match std::task::ready!(Pin::new(&mut *inner).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => lines.feed(&bytes),
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                None if !lines.line.is_empty() => lines.ready.push_back(std::mem::take(&mut lines.line).into()),
                end => return Poll::Ready(end),
            }
        }
    }
}

/// Type and object of an event in the form in which API servers write it; `None`: it is another one, as a bookmark or an error.
fn object(line: &[u8]) -> Option<(&'static str, &str)> {
    let rest = line.strip_prefix(b"{\"type\":\"")?;
    let type_ = ["ADDED", "MODIFIED", "DELETED"].into_iter().find(|type_| rest.starts_with(type_.as_bytes()))?;
    let rest = rest[type_.len()..].strip_prefix(b"\",\"object\":")?;
    let text = rest.strip_suffix(b"}\n").filter(|text| text.starts_with(b"{") && text.ends_with(b"}"))?;
    Some((type_, std::str::from_utf8(text).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = concat!(
        "{\"type\":\"ADDED\",\"object\":{\"a\":{\"b\":\"é\"}}}\n",
        "{\"type\":\"BOOKMARK\",\"object\":{\"a\":1}}\n",
        "{\"type\":\"DELETED\",\"object\":{}}\n",
        "{\"type\": \"MODIFIED\", \"object\": {}}\n",
        "{\"type\":\"MODIFIED\",\"object\":[]}\n",
        "{\"type\":\"ERROR\",\"object\":{}}\n",
        "\n",
        "{\"type\":\"MODIFIED\",\"obj",
    );

    #[test]
    fn a_ticket_stands_for_each_object_however_the_answer_is_cut() {
        for length in 1..LINES.len() {
            let mut lines = Lines::new(Shelf::default());
            LINES.as_bytes().chunks(length).for_each(|frame| lines.feed(frame));
            let text = [lines.ready.iter().flat_map(|bytes| bytes.to_vec()).collect(), lines.line].concat();
            let wanted = LINES.replacen("{\"a\":{\"b\":\"é\"}}", "0", 1).replacen(
                "\"DELETED\",\"object\":{}",
                "\"DELETED\",\"object\":1",
                1,
            );
            assert_eq!(std::str::from_utf8(&text).unwrap(), wanted);
            assert_eq!(lines.shelf.len(), 2);
        }
    }

    #[test]
    fn what_is_no_text_passes_as_it_is() {
        assert_eq!(object(b"{\"type\":\"ADDED\",\"object\":{\"a\":\"\xff\"}}\n"), None);
    }
}
