//! The protobuf wire format.

/// A value on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wire<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

/// The fields of a message, in order.
///
/// # Errors
/// If the message is truncated, or has a wire type that Kubernetes does not use.
pub(super) fn fields(mut bytes: &[u8]) -> Result<Vec<(u64, Wire<'_>)>, String> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes)?;
        let value = match tag & 7 {
            0 => Wire::Number(number(&mut bytes)?),
            2 => Wire::Bytes(block(&mut bytes)?),
            form => return Err(format!("protobuf field {} has the unknown form {form}", tag >> 3)),
        };
        fields.push((tag >> 3, value));
    }
    Ok(fields)
}

fn number(bytes: &mut &[u8]) -> Result<u64, String> {
    let mut out = 0;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first().ok_or("protobuf number is cut short")?;
        *bytes = rest;
        out |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Ok(out);
        }
    }
    Err("protobuf number is too long".to_owned())
}

fn block<'a>(bytes: &mut &'a [u8]) -> Result<&'a [u8], String> {
    let length = usize::try_from(number(bytes)?).map_err(|error| error.to_string())?;
    let (block, rest) = bytes.split_at_checked(length).ok_or("protobuf text is cut short")?;
    *bytes = rest;
    Ok(block)
}

/// Decodes a string as UTF-8.
pub(super) fn text(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string())
}
