use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/list");
    manifests.check().unwrap();
}
