//! Bytes as a review of a write.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    evenkeel_fuzz::run(evenkeel_tests::foreign_bytes::admission_review(bytes));
});
