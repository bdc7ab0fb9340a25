//! A plain type answers nothing.
#[allow(non_camel_case_types)]
struct artifact;

fn main() {
    ui_tests::route::<artifact>();
}
