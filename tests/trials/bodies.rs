//! Bodies that panic, and bodies that block a thread.

use crate::truth::Wish;
use crate::yard::Yard;

/// Some of each kind among other objects, which must continue.
pub async fn panics_and_hogs(yard: &Yard) {
    let before = yard.truth();
    for act in ["panic", "hog"] {
        for (name, wish) in before.parcels.iter().filter(|(_, wish)| wish.act.is_none()).take(3) {
            yard.put(name, &Wish { act: Some(act), ..wish.clone() }).await;
        }
        yard.change(20).await;
        yard.settle(&format!("three bodies that {act}")).await;
    }
    for name in before.parcels.keys() {
        let now = yard.truth().parcels.get(name).cloned();
        if let Some(wish) = now.filter(|wish| matches!(wish.act, Some("panic" | "hog"))) {
            yard.put(name, &Wish { act: None, ..wish }).await;
        }
    }
    yard.settle("bodies that behave again").await;
}
