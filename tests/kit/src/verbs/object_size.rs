//! The maximum size of a stored object, which is that of a request to etcd.

use std::io::{self, Write};

use serde_json::Value;

use crate::api_error::Failure;

/// The maximum size of a request to etcd in bytes. The rest of the request is the key of the object.
const LIMIT: usize = 3 * 512 * 1024;
/// The maximum size of a message that the client of etcd sends.
const MESSAGE_LIMIT: usize = 2 * 1024 * 1024;

/// Rejects an object that etcd does not store.
///
/// A cluster stores built-in objects as protobuf, which is shorter than the JSON that is counted here.
pub(super) fn check(object: &Value) -> Result<(), Failure> {
    let size = size(object);
    if size > MESSAGE_LIMIT {
        let message = "rpc error: code = ResourceExhausted desc = trying to send message larger than max";
        return Err(Failure::status(500, "", format!("{message} ({size} vs. {MESSAGE_LIMIT})")));
    }
    match size > LIMIT {
        true => Err(Failure::status(500, "", "etcdserver: request is too large")),
        false => Ok(()),
    }
}

/// Returns the number of bytes of a value as JSON.
fn size(value: &Value) -> usize {
    let mut count = Count(0);
    // Counting does not fail.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

/// Counts the bytes that are written.
struct Count(usize);

impl Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_size_is_that_of_the_text() {
        for value in [json!(null), json!({"a": [1, -2.5, "\"x\n"], "b": {"é": true}})] {
            assert_eq!(size(&value), value.to_string().len(), "{value}");
        }
    }

    #[test]
    fn the_limits_are_those_of_etcd() {
        let sized = |size: usize| json!("x".repeat(size - 2));
        let message = |size: usize| check(&sized(size)).map_err(|failure| (failure.code, failure.message));
        assert_eq!(message(LIMIT), Ok(()));
        assert_eq!(message(LIMIT + 1), Err((500, "etcdserver: request is too large".to_owned())));
        let text =
            "rpc error: code = ResourceExhausted desc = trying to send message larger than max (2097153 vs. 2097152)";
        assert_eq!(message(MESSAGE_LIMIT + 1), Err((500, text.to_owned())));
    }
}
