//! Protobuf bodies, which kubectl uses for some creates. The supported messages are in `message`.

mod message;
mod read;

use serde_json::{Value, json};

use read::{Wire, fields};

/// The prefix of an encoded object.
const MAGIC: &[u8] = b"k8s\0";

/// Decodes an object of one of the supported kinds.
///
/// # Errors
/// If the body is malformed, or contains an unsupported kind or field.
pub(crate) fn decode(body: &[u8]) -> Result<Value, String> {
    let envelope = body.strip_prefix(MAGIC).ok_or("the body does not begin as a protobuf object does")?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for (number, value) in fields(envelope)? {
        match (number, value) {
            (1, Wire::Bytes(types)) => {
                for (number, value) in fields(types)? {
                    match (number, value) {
                        (1, Wire::Bytes(text)) => api_version = read::text(text)?,
                        (2, Wire::Bytes(text)) => kind = read::text(text)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(bytes)) => raw = bytes,
            _ => {}
        }
    }
    let mut object = message::decode(&kind, raw)?;
    object["apiVersion"] = json!(api_version);
    object["kind"] = json!(kind);
    Ok(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
        [&[number << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat()
    }

    fn envelope(kind: &str, raw: &[u8]) -> Vec<u8> {
        let types = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &types), field(2, raw)].concat()
    }

    #[test]
    fn a_config_map_is_decoded() {
        let entry = [field(1, b"k"), field(2, b"v")].concat();
        let raw = [field(1, &field(1, b"a")), field(2, &entry)].concat();
        let expected = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}});
        assert_eq!(decode(&envelope("ConfigMap", &raw)), Ok(expected));
    }

    #[test]
    fn unknown_or_truncated_messages_are_rejected() {
        assert!(decode(b"{}").is_err());
        assert!(decode(&envelope("Lease", &[])).unwrap_err().contains("Lease"));
        assert!(decode(&envelope("ConfigMap", &field(99 % 32, b"x"))).is_err());
        let whole = envelope("ConfigMap", &field(1, &field(1, b"a")));
        assert!(decode(&whole[..whole.len() - 1]).is_err());
    }
}
