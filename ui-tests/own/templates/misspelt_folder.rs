use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/kind_les");
    manifests.check().unwrap();
}
