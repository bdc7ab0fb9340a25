//! Bytes as a review of a conversion.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    evenkeel_fuzz::run(evenkeel_tests::foreign_bytes::conversion_review(bytes));
});
