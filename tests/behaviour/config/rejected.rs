//! A file that is invalid, gone or half written changes nothing.

use evenkeel_tests::listener::get;

use super::*;

const VALID: &str = "settings: {greeting: Hello}\n";

#[tokio::test(start_paused = true)]
async fn an_invalid_file_is_logged_once_and_the_former_one_stays_in_force() {
    let case = Case::start(VALID, &["a"]).await;
    case.lab.until_logged(&["Hello a"]).await;
    for (text, at, cause) in [
        ("settings: {greeting: Hi, gretting: x}\n", "config.yaml:1:26", "unknown field `settings.gretting`"),
        ("settings: {greeting: [Hi]}\n", "config.yaml:1:22", "another type"),
        ("settings: {greeting: Hi, retries: 256}\n", "config.yaml:1:35", "settings:"),
        ("settings: {greeting: Hi\n", "config.yaml:", "YAML"),
        ("totalConcurency: 3\n", "config.yaml:1:1", "did you mean `totalConcurrency`?"),
        ("totalConcurrency: 0\n", "config.yaml:1:19", "`totalConcurrency`: invalid value '0'"),
        ("log: evenkeel=loud\n", "config.yaml:1:6", "`log`"),
        ("", "config.yaml", "the file is empty"),
    ] {
        let before = case.rejections().len();
        case.file.write(text);
        for _ in 0..3 {
            looked().await;
        }
        let lines = case.rejections().split_off(before);
        assert_eq!(lines.len(), 1, "{text}: {lines:?}");
        assert!(lines[0].contains(at) && lines[0].contains(cause) && lines[0].contains("help="), "{text}: {lines:?}");
        assert_eq!(case.metric("evenkeel_config_rejected").await, 1.0, "{text}");
    }
    assert_eq!(get(case.address, "/readyz").await.status, 200);
    assert_eq!(case.lab.log(), [""; 0]);
    case.file.write(VALID);
    looked().await;
    assert_eq!(case.metric("evenkeel_config_rejected").await, 0.0);
    assert_eq!(case.logs.with(&["valid again"]).len(), 1);
    case.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_file_that_is_gone_sets_no_defaults() {
    let case = Case::start(VALID, &["a"]).await;
    case.lab.until_logged(&["Hello a"]).await;
    std::fs::remove_file(case.file.path()).unwrap();
    for _ in 0..3 {
        looked().await;
    }
    let lines = case.rejections();
    assert!(lines.len() == 1 && lines[0].contains("the file does not exist"), "{lines:?}");
    assert_eq!(case.metric("evenkeel_config_rejected").await, 1.0);
    std::fs::create_dir(case.file.path()).unwrap();
    looked().await;
    assert!(case.rejections()[1].contains("the path is not that of a file"), "{:?}", case.rejections());
    std::fs::remove_dir(case.file.path()).unwrap();
    std::fs::write(case.file.path(), [0xff, 0xfe]).unwrap();
    looked().await;
    assert!(case.rejections()[2].contains("is not UTF-8"), "{:?}", case.rejections());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(case.lab.log(), [""; 0]);
    case.stop().await;
}

/// Each part of the file is valid YAML, and sets other values than the whole.
#[tokio::test(start_paused = true)]
async fn a_file_that_is_being_written_is_not_read() {
    let case = Case::start(VALID, &["a"]).await;
    case.lab.until_logged(&["Hello a"]).await;
    for part in 0..40 {
        case.file.write(&format!("settings: {{greeting: part {part}}}\n"));
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(case.lab.log(), [""; 0]);
    case.file.write("settings: {greeting: Hi}\n");
    looked().await;
    looked().await;
    assert_eq!(case.lab.log(), ["Hi a"]);
    case.stop().await;
}

#[tokio::test]
async fn an_invalid_file_ends_the_start_with_its_place() {
    let file = File::with("settings:\n  greeting: [Hi]\n");
    let settings = Live::<Settings>::default();
    let error = Operator::new("shop").settings(&settings).configured_by(file.line(&[])).await.unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("config.yaml:2:13: settings: the value has another type") && text.contains("help: "),
        "{text}"
    );
    assert_eq!(settings.now().greeting, "");
}

#[tokio::test(start_paused = true)]
async fn no_value_of_the_settings_is_in_the_log() {
    const CANARY: &str = "hunter2-canary";
    let case = Case::start("settings: {greeting: hunter2-canary}\n", &["a"]).await;
    case.lab.until_logged(&["hunter2-canary a"]).await;
    for text in [
        "settings: {greeting: hunter2-canary, retries: hunter2-canary}\n",
        "settings: {retries: [hunter2-canary]}\n",
        "settings: {greeting: \"hunter2-canary\n",
        "settings: hunter2-canary\n",
        "settings: {greeting: hunter2-canary-2}\n",
    ] {
        case.file.write(text);
        looked().await;
    }
    assert_eq!(case.rejections().len(), 4);
    assert_eq!(case.logs.with(&[CANARY]), [""; 0]);
    case.stop().await;
}
