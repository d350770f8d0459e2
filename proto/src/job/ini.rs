//! Cuts a job file into sections and entries, by fio's rules.
//!
//! Blank lines and everything from `#` or `;` on are left out. `[name]` starts a
//! section; a name may itself hold brackets. Anything else is `key=value` or a bare
//! key. Blanks around names, keys and values do not count.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A section and its entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Section<'t> {
    /// Line of its header, from 1.
    pub line: usize,
    pub name: &'t str,
    pub entries: Vec<Entry<'t>>,
}

/// One `key=value`, or a bare key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    /// Its line, from 1.
    pub line: usize,
    pub key: &'t str,
    pub value: Option<&'t str>,
}

/// fio's own limit on names, in bytes.
pub(super) const MAX_NAME_BYTES: usize = 255;

/// Reads `text`; `fault` gets the line and the message of everything that is no job file.
pub(super) fn sections<'t>(
    text: &'t str,
    mut fault: impl FnMut(usize, String),
) -> Vec<Section<'t>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut sections: Vec<Section<'t>> = Vec::new();
    for (line, raw) in (1..).zip(text.split('\n')) {
        let content = raw.split(['#', ';']).next().unwrap_or_default().trim();
        if content.is_empty() {
            continue;
        }
        if let Some(control) = content.chars().find(|&c| c.is_control() && c != '\t') {
            let code = u32::from(control);
            fault(line, format!("control character {code:#04x} in the line"));
            continue;
        }
        if let Some(header) = content.strip_prefix('[') {
            // A section is opened even by a bad header, so that its keys are checked
            // and do not land in the section before it.
            let name = name_of(header).unwrap_or_else(|message| {
                fault(line, message);
                "unnamed"
            });
            sections.push(Section {
                line,
                name,
                entries: Vec::new(),
            });
            continue;
        }
        match (entry(line, content), sections.last_mut()) {
            (Err(message), _) => fault(line, message),
            (Ok(entry), Some(section)) => section.entries.push(entry),
            (Ok(entry), None) => fault(
                line,
                format!(
                    "`{}` stands before any section; start with [global] or [name]",
                    entry.key
                ),
            ),
        }
    }
    sections
}

fn name_of(header: &str) -> Result<&str, String> {
    let name = header
        .strip_suffix(']')
        .ok_or_else(|| format!("section header `[{header}` does not end in `]`"))?
        .trim();
    if name.is_empty() {
        return Err(String::from("a section needs a name: [name]"));
    }
    if name.len() > MAX_NAME_BYTES {
        let bytes = name.len();
        return Err(format!(
            "the section name has {bytes} bytes; at most {MAX_NAME_BYTES} are allowed"
        ));
    }
    Ok(name)
}

fn entry(line: usize, content: &str) -> Result<Entry<'_>, String> {
    if content.split_whitespace().next() == Some("include") {
        return Err(String::from(
            "`include` is not supported: the guest that runs the job has no files; \
             put the lines here",
        ));
    }
    let (key, value) = match content.split_once('=') {
        Some((key, value)) => (key.trim_end(), Some(value.trim_start())),
        None => (content, None),
    };
    if key.is_empty() {
        return Err(format!("`{content}` has no key before `=`"));
    }
    Ok(Entry { line, key, value })
}
