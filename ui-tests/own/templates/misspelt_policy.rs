use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/policy");
    manifests.check().unwrap();
}
