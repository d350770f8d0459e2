//! What a key is. The keys themselves stand in [`super::table`], and those of fio's
//! that do nothing here in [`super::foreign`].

use super::draft::Draft;
use super::foreign;
use super::nearest::near;
use super::params::Params;
use super::table::KEYS;
use crate::units::{self, size_text};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;

/// One key of the job language.
pub struct Key {
    /// Its name; messages and canonical job files use it.
    pub name: &'static str,
    /// Other names with the same meaning.
    pub aliases: &'static [&'static str],
    /// It is not fio's but this tool's own.
    pub own: bool,
    /// Accepted values, for a person.
    pub values: &'static str,
    /// Value when the key is absent, for a person.
    pub default: &'static str,
    /// What it does, for a person.
    pub meaning: &'static str,
    pub(super) action: Action,
}

pub(super) type Set = fn(&mut Draft, &str) -> Result<(), String>;
pub(super) type Get = fn(&Params) -> Option<String>;

/// What happens when the key is met.
pub(super) enum Action {
    /// The value is read and kept; the getter gives the canonical value, or `None` for
    /// the default.
    Value(Set, Get),
    /// As `Value`, and a bare key means 1.
    Flag(fn(&mut Params, bool), fn(&Params) -> Option<bool>),
}

impl Key {
    /// Applies a value to a section.
    pub(super) fn apply(&self, draft: &mut Draft, value: Option<&str>) -> Result<(), String> {
        let name = self.name;
        match self.action {
            Action::Value(set, _) => {
                let value = value.ok_or_else(|| {
                    let values = self.values;
                    format!("`{name}` needs a value: {name}={values}")
                })?;
                set(draft, value).map_err(|why| format!("`{name}={value}`: {why}"))
            }
            Action::Flag(set, _) => {
                let value = value.unwrap_or("1");
                let on = match value {
                    "0" => false,
                    "1" => true,
                    _ => return Err(format!("`{name}={value}`: allowed are 0 and 1")),
                };
                set(&mut draft.params, on);
                Ok(())
            }
        }
    }

    /// Its value in a canonical job file; `None` for the default.
    pub(super) fn text(&self, params: &Params) -> Option<String> {
        match self.action {
            Action::Value(_, get) => get(params),
            Action::Flag(_, get) => get(params).map(|on| String::from(if on { "1" } else { "0" })),
        }
    }

    /// A value as the names of a sweep's jobs have it: a size in its largest unit, so
    /// that `4096` and `4k` have one name; anything else as it was written.
    pub(super) fn name_value<'v>(&self, draft: &Draft, value: &'v str) -> Cow<'v, str> {
        let bytes = match self.values.starts_with("SIZE") {
            true => units::size(value, draft.kb_base).ok(),
            false => None,
        };
        bytes.map_or(Cow::Borrowed(value), |size| {
            Cow::Owned(size_text(size.bytes))
        })
    }

    /// Its line there.
    pub(super) fn line(&self, params: &Params) -> Option<String> {
        let value = self.text(params)?;
        Some(format!("{}={value}\n", self.name))
    }
}

impl Params {
    /// Every key that has not its default, as a job file has it; what only says which
    /// disks may be written is left out.
    #[must_use]
    pub fn keys(&self) -> BTreeMap<String, String> {
        let mut keys = BTreeMap::new();
        // One after another, here and elsewhere in the guest: to collect a map takes a
        // sort of some 5 KiB for each type.
        keys.extend(
            KEYS.iter()
                .filter(|key| !["scratch", "allow_write", "stonewall"].contains(&key.name))
                .filter_map(|key| Some((String::from(key.name), key.text(self)?))),
        );
        keys
    }
}

/// The key of this name or alias.
#[must_use]
pub fn find_key(name: &str) -> Option<&'static Key> {
    KEYS.iter()
        .find(|key| key.name == name || key.aliases.contains(&name))
}

/// Whether fio or this tool has such a key, be it without effect or refused.
#[must_use]
pub fn is_known(name: &str) -> bool {
    find_key(name).is_some() || foreign::names().any(|known| known == name)
}

/// Applies a key of any kind to a section.
pub(super) fn apply(draft: &mut Draft, name: &str, value: Option<&str>) -> Result<(), String> {
    if let Some(key) = find_key(name) {
        return key.apply(draft, value);
    }
    foreign::apply(draft, name, value).unwrap_or_else(|| Err(unknown(name)))
}

/// The refusal of a key that is in no table.
pub(super) fn unknown(name: &str) -> String {
    let ours = KEYS
        .iter()
        .flat_map(|key| core::iter::once(&key.name).chain(key.aliases))
        .copied();
    match near(name, ours.chain(foreign::names())) {
        Some(near) => format!("unknown key `{name}`; did you mean `{near}`?"),
        None => format!("unknown key `{name}`"),
    }
}
