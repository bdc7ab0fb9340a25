//! Random changes to a document, as a fuzzer makes them.

use evenkeel_random_cases::Choices;

/// What a parser may stumble over.
const TOKENS: &[&[u8]] = &[
    b"null",
    b"{}",
    b"[]",
    b"\"\"",
    b"\"",
    b"\\",
    b"\\ud800",
    b"\xff",
    b"\x00",
    b"\n",
    b"-1",
    b"1e999",
    b"9223372036854775808",
    b"[[[[[[[[[[[[[[[[",
    b",\"spec\":{}",
    b"{\"a\":",
    b"true",
];

/// One of the documents with up to eight changes. The simplest choices change nothing.
pub(crate) fn changed(documents: &[&[u8]], choices: &mut Choices) -> Vec<u8> {
    let mut bytes = documents[choices.range(0..documents.len())].to_vec();
    for _ in 0..choices.range(0..9) {
        change(&mut bytes, choices);
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, choices: &mut Choices) {
    let start = choices.range(0..bytes.len() + 1);
    let end = (start + choices.range(0..64)).min(bytes.len());
    match choices.range(0..5) {
        0 => bytes[start..end].iter_mut().for_each(|byte| *byte ^= 1 << (start % 8)),
        1 => bytes.truncate(start),
        2 => drop(bytes.drain(start..end)),
        3 => {
            let part = bytes[start..end].to_vec();
            bytes.splice(start..start, part);
        }
        _ => {
            let token = choices.pick(TOKENS);
            // In place of a whole value, or in the middle of one.
            bytes.splice(start..end, token.iter().copied());
        }
    }
}
