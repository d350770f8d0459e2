//! The job files that ship with the tool.

macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../jobs/", $name, ".fio")))),*]
    };
}

/// Name and text, in the order in which they are listed.
const PRESETS: &[(&str, &str)] = presets![
    "quick",
    "iodepth-sweep",
    "mix-sweep",
    "bs-sweep",
    "fio-benchmark",
    "database",
    "mail",
    "fileserver",
    "streaming",
    "vdi",
    "diskspd-8k",
    "pvscsi-check",
    "tuning",
    "first-write",
    "exits",
    "stages",
    "ring-sweep",
    "ruler",
    "verify",
    "soak",
    "spread",
];

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
