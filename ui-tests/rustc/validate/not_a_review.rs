//! A plain function reviews nothing.
#[allow(non_camel_case_types)]
struct check;

fn main() {
    ui_tests::review::<check>();
}
