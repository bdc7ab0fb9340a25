//! The shard of an object: an equal range of the hash of its uid.
//!
//! The hash is FNV-1a with 64 bits, the one that API servers use for `shardSelector` (KEP-5866), so that a shard is a range of theirs.

use std::fmt;
use std::num::NonZeroU16;

const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// One of the shards of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct UidShard {
    /// Counts from 0.
    pub(crate) index: u16,
    pub(crate) of: NonZeroU16,
}

impl UidShard {
    /// The shard of the object with this uid.
    pub(crate) fn of(uid: &str, of: NonZeroU16) -> Self {
        let shard = (u128::from(hash(uid)) * u128::from(of.get())) >> 64;
        // It is below the number of shards.
        Self { index: u16::try_from(shard).unwrap_or_default(), of }
    }

    /// Whether the object with this uid is in the shard.
    pub(crate) fn contains(self, uid: &str) -> bool {
        Self::of(uid, self.of) == self
    }

    /// The selector of this shard in the form of the API server, with both bounds in 16 digits or more. The last bound is 2^64.
    pub(crate) fn selector(self) -> String {
        let (from, to) = (self.begin(), Self { index: self.index + 1, ..self }.begin());
        format!("shardRange(object.metadata.uid, '0x{from:016x}', '0x{to:016x}')")
    }

    /// The first hash of the shard: the shard n of S begins at n / S of all hashes, rounded up.
    fn begin(self) -> u128 {
        (u128::from(self.index) << 64).div_ceil(u128::from(self.of.get()))
    }
}

impl fmt::Display for UidShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.index, self.of)
    }
}

fn hash(text: &str) -> u64 {
    text.bytes().fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shards(of: u16) -> NonZeroU16 {
        NonZeroU16::new(of).unwrap()
    }

    /// A uid as the API server makes it, from a counter.
    fn uid(count: u64) -> String {
        let mixed = (count ^ count >> 31).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let other = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        format!(
            "{:08x}-{:04x}-4{:03x}-a{:03x}-{:012x}",
            mixed >> 32,
            mixed & 0xffff,
            other >> 52,
            other & 0xfff,
            other >> 12 & 0xffff_ffff_ffff
        )
    }

    #[test]
    fn the_hash_is_the_published_one() {
        assert_eq!(hash(""), OFFSET);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_shard_holds_the_hashes_of_its_range() {
        for of in [1, 2, 3, 16, 48, 256].map(shards) {
            for count in 0..1000 {
                let uid = uid(count);
                let shard = UidShard::of(&uid, of);
                let at = u128::from(hash(&uid));
                let next = UidShard { index: shard.index + 1, of };
                assert!(shard.begin() <= at && at < next.begin(), "{uid} in {shard}");
            }
        }
    }

    #[test]
    fn a_selector_has_bounds_of_16_digits() {
        let first = UidShard { index: 0, of: shards(16) };
        let text = "shardRange(object.metadata.uid, '0x0000000000000000', '0x1000000000000000')";
        assert_eq!(first.selector(), text);
        let last = UidShard { index: 15, of: shards(16) };
        let text = "shardRange(object.metadata.uid, '0xf000000000000000', '0x10000000000000000')";
        assert_eq!(last.selector(), text);
    }

    #[test]
    fn a_million_objects_are_spread_evenly() {
        let of = shards(16);
        let mut counts = [0_u32; 16];
        for count in 0..1_000_000 {
            counts[usize::from(UidShard::of(&uid(count), of).index)] += 1;
        }
        let even = 1_000_000.0 / 16.0;
        for count in counts {
            let ratio = f64::from(count) / even;
            assert!((1.0 / 1.05..=1.05).contains(&ratio), "{counts:?}");
        }
    }
}
