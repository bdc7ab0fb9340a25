use evenkeel::templates;

fn main() {
    let manifests = templates!();
    manifests.check().unwrap();
}
