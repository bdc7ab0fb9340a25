//! The axes of a chart: linear from zero, or by powers of ten.

/// The label and the scale of an axis.
pub struct Axis {
    what: String,
    log: bool,
}

/// An axis with its range.
pub(super) struct Scale<'a> {
    axis: &'a Axis,
    from: f64,
    to: f64,
    length: f64,
}

impl Axis {
    /// A linear axis from zero.
    #[must_use]
    pub fn linear(what: &str) -> Self {
        Self { what: what.to_owned(), log: false }
    }

    /// A logarithmic axis without zero.
    #[must_use]
    pub fn log(what: &str) -> Self {
        Self { what: what.to_owned(), log: true }
    }

    /// A scale that covers these values.
    pub(super) fn over(&self, values: impl Iterator<Item = f64>, length: f64) -> Scale<'_> {
        let (least, most) =
            values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
        if self.log {
            let (from, to) = (least.log10().floor(), most.log10().ceil());
            return Scale { axis: self, from, to: to.max(from + 1.0), length };
        }
        let step = step(most);
        Scale { axis: self, from: 0.0, to: (most / step).ceil().max(1.0) * step, length }
    }
}

/// The distance of the ticks: 1, 2 or 5 times a power of ten, for five to ten ticks.
fn step(most: f64) -> f64 {
    let power = 10_f64.powf((most.max(1e-9) / 5.0).log10().floor());
    [5.0, 2.0, 1.0].map(|times| times * power).into_iter().find(|step| most / step >= 4.0).unwrap_or(power)
}

impl Scale<'_> {
    pub(super) fn what(&self) -> &str {
        &self.axis.what
    }

    /// The distance of a value from the start.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = if self.axis.log { value.log10() } else { value };
        (value - self.from) / (self.to - self.from) * self.length
    }

    /// The positions and labels of the ticks.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        let step = if self.axis.log { 1.0 } else { step(self.to) };
        let count = ((self.to - self.from) / step).round() as u32;
        let values = (0..=count).map(|nth| self.from + f64::from(nth) * step);
        let values = values.map(|value| if self.axis.log { 10_f64.powf(value) } else { value });
        values.map(|value| (self.place(value), short(value))).collect()
    }
}

/// A short number: `20k`.
fn short(value: f64) -> String {
    match value {
        _ if value >= 1e6 => format!("{}M", trimmed(value / 1e6)),
        _ if value >= 1e3 => format!("{}k", trimmed(value / 1e3)),
        _ => trimmed(value),
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis, values: &[f64]) -> Vec<String> {
        axis.over(values.iter().copied(), 100.0).ticks().into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn a_linear_axis_has_zero_and_round_ticks() {
        assert_eq!(
            labels(&Axis::linear("bytes"), &[3.0, 14_700.0]),
            ["0", "2k", "4k", "6k", "8k", "10k", "12k", "14k", "16k"]
        );
        assert_eq!(labels(&Axis::linear("writes"), &[0.0, 0.0]).len(), 2, "all at zero");
    }

    #[test]
    fn a_logarithmic_axis_spans_powers_of_ten() {
        assert_eq!(labels(&Axis::log("objects"), &[16.0, 4096.0]), ["10", "100", "1k", "10k"]);
    }
}
