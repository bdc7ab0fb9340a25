//! A version without a conversion.
ui_tests::old_version!();

fn main() {
    let _ = ui_tests::serve::<Old>();
}
