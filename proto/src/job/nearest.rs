//! Which known word an unknown one was meant to be.

use alloc::vec;
use alloc::vec::Vec;

/// The word that was most likely meant: the nearest, if it is near. A third of the
/// letters may differ, and two at most.
pub(super) fn near<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let letters = word.chars().count();
    let far = (letters / 3).clamp(1, 2);
    // One that is much longer or shorter is far, without a closer look.
    let known = known.into_iter();
    let alike = known.filter(|known| known.chars().count().abs_diff(letters) <= far);
    let (candidate, distance) = nearest(word, alike)?;
    (distance <= far && distance < letters).then_some(candidate)
}

/// The word with the smallest distance and that distance; the first of several.
fn nearest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<(&'w str, usize)> {
    known
        .into_iter()
        .map(|candidate| (candidate, distance(word, candidate)))
        .min_by_key(|&(_, distance)| distance)
}

/// Letters to insert, delete, replace, or swap with their neighbour (optimal string
/// alignment), in any case of letters.
pub(super) fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().map(|c| c.to_ascii_lowercase()).collect();
    let to: Vec<char> = to.chars().map(|c| c.to_ascii_lowercase()).collect();
    let mut before_last = vec![0; to.len() + 1];
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, &a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &b) in to.iter().enumerate() {
            let replace = last[j] + usize::from(a != b);
            let mut best = replace.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && a == to[j - 1] && from[i - 1] == b {
                best = best.min(before_last[j - 1] + 1);
            }
            row.push(best);
        }
        before_last = core::mem::replace(&mut last, row);
    }
    last[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("", "", 0),
            ("", "abc", 3),
            ("abc", "", 3),
            ("iodpeth", "iodepth", 1),
            ("iodepht", "iodepth", 1),
            ("iodeph", "iodepth", 1),
            ("iodepthh", "iodepth", 1),
            ("IODepth", "iodepth", 0),
            ("kitten", "sitting", 3),
            ("ca", "abc", 3),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
            assert_eq!(distance(to, from), expected, "{to} {from}");
        }
    }

    #[test]
    fn only_what_is_near_is_meant() {
        let known = ["rw", "iodepth", "controller"];
        for (word, meant) in [
            ("iodpeth", Some("iodepth")),
            ("io_depths", Some("iodepth")),
            ("contrllr", Some("controller")),
            ("rd", Some("rw")),
            ("x", None),
            ("", None),
            ("depth", None),
            ("cntrlr", None),
        ] {
            assert_eq!(near(word, known), meant, "{word}");
        }
    }

    #[test]
    fn the_first_of_the_nearest_is_taken() {
        assert_eq!(nearest("bz", ["rw", "bs", "ba"]), Some(("bs", 1)));
        assert_eq!(nearest("x", []), None);
    }
}
