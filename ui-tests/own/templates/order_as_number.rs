use evenkeel::templates;

fn main() {
    let manifests = templates!("templates/number");
    manifests.check().unwrap();
}
