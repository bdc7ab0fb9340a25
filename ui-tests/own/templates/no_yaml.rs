use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/part");
    manifests.check().unwrap();
}
