use evenkeel::templates;

const FOLDER: &str = "templates/web";

fn main() {
    let manifests = templates!(FOLDER);
    manifests.check().unwrap();
    println!("{FOLDER}");
}
