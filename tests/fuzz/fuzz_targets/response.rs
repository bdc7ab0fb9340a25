//! Bytes as the response of an API server to each read.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    evenkeel_fuzz::run(evenkeel_tests::foreign_bytes::response(bytes));
});
