//! Random numbers for jitter and names.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A random number. Each `RandomState` has other keys, so that its hash of nothing is random.
pub(crate) fn word() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A uniform random number: at least 0, less than 1.
pub(crate) fn uniform() -> f64 {
    // The bits that an `f64` has.
    (word() >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::uniform;

    #[test]
    fn the_numbers_are_spread_evenly() {
        let mut buckets = [0; 16];
        for _ in 0..16_000 {
            let number = uniform();
            assert!((0.0..1.0).contains(&number), "{number}");
            buckets[(number * 16.0) as usize] += 1;
        }
        // 1,000 each, with a standard deviation of 31: the bounds are ten of them away.
        assert!(buckets.iter().all(|count| (690..1_310).contains(count)), "{buckets:?}");
    }

    #[test]
    fn threads_draw_different_numbers() {
        let drawn = || (0..4).map(|_| uniform()).collect::<Vec<_>>();
        let other = std::thread::spawn(drawn).join().unwrap();
        assert!(drawn().iter().all(|number| !other.contains(number)));
    }
}
