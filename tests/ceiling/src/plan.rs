//! What to run: `depths=1,32,128 runtime_ms=2000`.

/// fw_cfg file that holds the plan.
pub const FW_CFG_FILE: &str = "opt/ioprobe/ceiling";

/// Most depths in one plan.
pub const MAX_DEPTHS: usize = 16;

/// Longest runtime of one depth: no ring index can wrap in it.
pub const MAX_RUNTIME_MS: u64 = 600_000;

/// Depths to run one after another, and for how long each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    depths: [u32; MAX_DEPTHS],
    count: usize,
    /// Runtime of each depth in milliseconds.
    pub runtime_ms: u64,
}

/// Why a plan was not understood: the word that is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanError<'a>(pub &'a str);

impl Default for Plan {
    /// Depths 1, 32 and 128, two seconds each.
    fn default() -> Self {
        let mut depths = [0; MAX_DEPTHS];
        depths[..3].copy_from_slice(&[1, 32, 128]);
        Self {
            depths,
            count: 3,
            runtime_ms: 2000,
        }
    }
}

impl Plan {
    /// Understands `depths=LIST runtime_ms=N`, words in any order and each
    /// optional; what is left out keeps its default.
    ///
    /// # Errors
    /// [`PlanError`] for an unknown word, a number that is none, a depth of 0 or
    /// a runtime outside 1..=[`MAX_RUNTIME_MS`].
    pub fn parse(text: &str) -> Result<Self, PlanError<'_>> {
        let mut plan = Self::default();
        for word in text.split_ascii_whitespace() {
            let bad = PlanError(word);
            match word.split_once('=').ok_or(bad)? {
                ("depths", list) => plan.set_depths(list).ok_or(bad)?,
                ("runtime_ms", number) => {
                    plan.runtime_ms = number
                        .parse()
                        .ok()
                        .filter(|ms| (1..=MAX_RUNTIME_MS).contains(ms))
                        .ok_or(bad)?;
                }
                _ => return Err(bad),
            }
        }
        Ok(plan)
    }

    fn set_depths(&mut self, list: &str) -> Option<()> {
        self.count = 0;
        for item in list.split(',') {
            let depth = item.parse().ok().filter(|&depth| depth > 0)?;
            *self.depths.get_mut(self.count)? = depth;
            self.count += 1;
        }
        Some(())
    }

    /// Depths in order.
    #[must_use]
    pub fn depths(&self) -> &[u32] {
        &self.depths[..self.count]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_may_be_left_out() {
        assert_eq!(Plan::parse(""), Ok(Plan::default()));
        let plan = Plan::parse("runtime_ms=50\n").unwrap();
        assert_eq!((plan.depths(), plan.runtime_ms), (&[1, 32, 128][..], 50));
        let plan = Plan::parse("depths=7").unwrap();
        assert_eq!((plan.depths(), plan.runtime_ms), (&[7][..], 2000));
    }

    #[test]
    fn the_wrong_word_is_named() {
        for word in [
            "depths=",
            "depths=0",
            "depths=1,,2",
            "depths=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17",
            "runtime_ms=0",
            "runtime_ms=600001",
            "runtime_ms=2s",
            "rutime_ms=1",
            "quick",
        ] {
            let text = std::format!("depths=1 {word}");
            assert_eq!(Plan::parse(&text), Err(PlanError(word)));
        }
    }
}
