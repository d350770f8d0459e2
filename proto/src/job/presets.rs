//! The job files that ship with the tool.

/// Name and text, in the order in which they are listed.
const PRESETS: [(&str, &str); 1] = [("quick", include_str!("../../jobs/quick.fio"))];

/// The job file of a preset.
#[must_use]
pub fn get(name: &str) -> Option<&'static str> {
    PRESETS
        .iter()
        .find(|(preset, _)| *preset == name)
        .map(|(_, text)| *text)
}

/// The names of all presets.
pub fn names() -> impl Iterator<Item = &'static str> {
    PRESETS.iter().map(|(name, _)| *name)
}
