use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/kindless");
    manifests.check().unwrap();
}
