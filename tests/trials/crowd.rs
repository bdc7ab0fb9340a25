//! Many objects: created at once, listed after a restart, a tenth of them deleted.

use evenkeel_tests::trial::long;

use crate::yard::Yard;

/// In the long form 10,000 objects of which 1,000 are deleted.
pub async fn many_come_and_some_are_deleted(yard: &Yard) {
    let (many, deleted) = if long() { (10_000, 1_000) } else { (200, 20) };
    yard.create(many).await;
    yard.settle_all(&format!("{} objects created", yard.count())).await;
    yard.kill();
    yard.start(&[]);
    yard.settle("a restart").await;
    yard.remove(deleted).await;
    yard.settle_all(&format!("{deleted} of them deleted")).await;
}
