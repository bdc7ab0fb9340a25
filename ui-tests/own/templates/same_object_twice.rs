use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/twice");
    manifests.check().unwrap();
}
