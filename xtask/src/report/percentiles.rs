//! Percentiles that jobs ask for.

use super::points::directions;
use crate::result::Row;

/// Those of all rows, once each, the smallest first.
#[must_use]
pub fn asked(rows: &[Row]) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for (_, figures) in rows.iter().flat_map(directions) {
        let new = figures.percentiles.keys().filter(|one| !all.contains(one));
        let new: Vec<String> = new.cloned().collect();
        all.extend(new);
    }
    let value = |one: &String| one.parse::<f64>().unwrap_or(f64::INFINITY);
    all.sort_by(|a, b| value(a).total_cmp(&value(b)));
    all
}

/// Whether every row has it in any case.
#[must_use]
pub fn is_usual(percentile: &str) -> bool {
    matches!(percentile, "50" | "90" | "95" | "99" | "99.9" | "99.99")
}

#[cfg(test)]
mod tests {
    use super::super::sample::row;
    use super::*;

    #[test]
    fn they_are_numbers_and_come_once() {
        let asking = |list: &[&str]| {
            let mut row = row(0);
            let list = list.iter().map(|one| ((*one).to_owned(), Some(1)));
            row.read.percentiles = list.collect();
            row
        };
        let rows = [
            asking(&["99.5", "5", "100"]),
            asking(&["50", "99.5"]),
            row(2),
        ];
        assert_eq!(asked(&rows), ["5", "50", "99.5", "100"]);
        assert!(is_usual("50") && !is_usual("99.5"));
    }
}
