//! Where the registers are, by the capabilities of the PCI function (4.1.4).

use super::spec::{capability, common, config};

/// Places of the four structures, all in one BAR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Regions {
    /// Number of the BAR.
    pub bar: u8,
    /// Offset of the common configuration in bytes.
    pub common: usize,
    /// Offset of the notifications in bytes.
    pub notify: usize,
    /// Distance of two notification addresses in bytes.
    pub notify_multiplier: usize,
    /// Offset of the interrupt status in bytes.
    pub isr: usize,
    /// Offset of the device configuration in bytes.
    pub device: usize,
}

/// One structure, as its capability tells.
#[derive(Clone, Copy)]
struct Place {
    bar: u8,
    offset: usize,
    multiplier: usize,
}

impl Regions {
    /// From the bytes of the function's vendor-specific capabilities. Of each kind
    /// the first counts whose BAR is `usable`: one of memory, with an address.
    ///
    /// # Errors
    /// Why there is no interface to drive, for a person to read.
    pub fn find<'a>(
        capabilities: impl Iterator<Item = &'a [u8]> + Clone,
        usable: impl Fn(u8) -> bool,
    ) -> Result<Self, &'static str> {
        let place = |kind, least_bytes| {
            let known = capabilities.clone();
            known
                .filter_map(|bytes| Place::of(bytes, kind, least_bytes))
                .find(|place| usable(place.bar))
        };
        let Some(common) = place(capability::COMMON, common::BYTES) else {
            return Err(
                "it offers only the legacy interface of virtio, which is not driven: \
                 attach it without disable-modern=on",
            );
        };
        let (Some(notify), Some(isr), Some(device)) = (
            place(capability::NOTIFY, 2),
            place(capability::ISR, 1),
            place(capability::DEVICE, config::BYTES),
        ) else {
            return Err("a structure of the modern interface of virtio is missing");
        };
        if [notify, isr, device].iter().any(|at| at.bar != common.bar) {
            return Err("the structures of virtio lie in several BARs, which is not driven");
        }
        Ok(Self {
            bar: common.bar,
            common: common.offset,
            notify: notify.offset,
            notify_multiplier: notify.multiplier,
            isr: isr.offset,
            device: device.offset,
        })
    }
}

impl Place {
    /// Of a capability of this kind whose structure has the least length and lies
    /// as its widest register must.
    fn of(bytes: &[u8], kind: u8, least_bytes: usize) -> Option<Self> {
        let word = |at: usize| -> Option<usize> {
            let field = bytes.get(at..at + 4)?;
            Some(u32::from_le_bytes([field[0], field[1], field[2], field[3]]) as usize)
        };
        let notify = kind == capability::NOTIFY;
        let own_bytes = if notify {
            capability::NOTIFY_BYTES
        } else {
            capability::BYTES
        };
        if bytes.len() < own_bytes || bytes[capability::KIND] != kind {
            return None;
        }
        let offset = word(capability::OFFSET)?;
        let aligned = offset.is_multiple_of(least_bytes.min(4));
        (aligned && word(capability::LENGTH)? >= least_bytes).then_some(Self {
            bar: bytes[capability::BAR],
            offset,
            multiplier: if notify {
                word(capability::MULTIPLIER)?
            } else {
                0
            },
        })
    }
}
