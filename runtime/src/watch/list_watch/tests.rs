//! What a watch takes from an event, and which errors end it.

use futures::stream;
use k8s_openapi::api::core::v1::ConfigMap;

use super::*;

fn watching() -> Watching<ConfigMap> {
    let position = Position { version: "5".into(), checked: true };
    Watching::from(position, stream::empty().boxed())
}

#[test]
fn a_watch_moves_on_to_the_version_of_each_event_and_never_back() {
    let mut watching = watching();
    assert!(watching.moves_to("5").is_ok(), "an event may repeat the version");
    assert_eq!((&*watching.position.version, watching.position.checked, watching.heard), ("5", false, true));
    assert!(watching.moves_to("7").is_ok());
    assert_eq!(watching.position.version, "7");
    assert!(matches!(watching.moves_to("6"), Err(Error::WentBack(from, to)) if (&*from, &*to) == ("7", "6")));
    assert!(matches!(watching.moves_to(""), Err(Error::NoVersion)));
    assert_eq!(watching.position.version, "7");
}

#[test]
fn where_bookmarks_come_silence_is_noticed_sooner() {
    let mut watching = watching();
    assert_eq!(watching.patience(), HANGS);
    watching.marked = true;
    assert_eq!(watching.patience(), HANGS_WITH_BOOKMARKS);
}

#[test]
fn a_connection_that_breaks_is_a_cut_and_a_line_that_is_too_long_is_none() {
    let broken = |text: &str| kube::Error::ReadEvents(std::io::Error::other(text.to_owned()));
    assert!(is_cut(&broken("connection reset by peer")));
    assert!(!is_cut(&kube::Error::ReadEvents(std::io::Error::other(crate::client::LineTooLong))));
    assert!(!is_cut(&kube::Error::LinesCodecMaxLineLengthExceeded));
}
