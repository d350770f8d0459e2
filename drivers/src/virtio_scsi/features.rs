//! What device and driver agree on, and what the device says of itself (5.6.3,
//! 5.6.4).

use super::events::MAX_EVENT_BYTES;
use super::options::Choices;
use super::regs::Regs;
use super::ring::Suppression;
use super::spec::{CDB_BYTES, MAX_LUN, SENSE_BYTES, config, device_status, feature};
use crate::block::ControllerError;
use crate::hal::Mmio;

/// How often a configuration that changes meanwhile is read again.
const ATTEMPTS: u32 = 8;
/// A block of max_sectors in bytes.
const SECTOR_BYTES: u64 = 512;

/// Features in force, and limits as the device states them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// One slot of the ring takes a command of any length.
    pub indirect_descriptors: bool,
    /// Doorbells and interrupts may be left out by index.
    pub event_index: bool,
    /// Units that come and go are told.
    pub hot_plug: bool,
    /// Changed parameters are told.
    pub changes: bool,
    /// Request queues.
    pub request_queues: u32,
    /// Segments of one command's data.
    pub max_segments: u32,
    /// Longest command in bytes.
    pub max_transfer_bytes: u64,
    /// Commands in flight to one unit.
    pub commands_per_unit: u32,
    /// Highest target number.
    pub max_target: u16,
    /// Highest unit number that can be addressed.
    pub max_lun: u16,
}

impl Features {
    /// Agrees on features with a device that was just reset, and reads its
    /// configuration.
    ///
    /// # Errors
    /// [`ControllerError::Refused`] for a device that is not modern, does not take
    /// the choice, or whose configuration makes no sense; or it is gone.
    pub(super) fn negotiate<M: Mmio>(
        regs: &Regs<M>,
        choices: &Choices,
    ) -> Result<Self, ControllerError> {
        regs.set_status(device_status::ACKNOWLEDGE);
        regs.set_status(device_status::ACKNOWLEDGE | device_status::DRIVER);
        let offered = regs.offered();
        if offered & feature::VERSION_1 == 0 {
            return Err(ControllerError::Refused {
                what: "the modern interface of virtio (VERSION_1)",
                answer: offered,
            });
        }
        let mut wanted = feature::VERSION_1
            | feature::ACCESS_PLATFORM
            | feature::HOTPLUG
            | feature::CHANGE
            | feature::INDIRECT_DESC;
        if choices.kick_suppression {
            wanted |= feature::EVENT_IDX;
        }
        let agreed = offered & wanted;
        regs.accept(agreed);
        regs.set_status(
            device_status::ACKNOWLEDGE | device_status::DRIVER | device_status::FEATURES_OK,
        );
        if regs.status()? & device_status::FEATURES_OK == 0 {
            return Err(ControllerError::Refused {
                what: "these features (FEATURES_OK)",
                answer: agreed,
            });
        }
        let mut features = read_config(regs)?;
        features.indirect_descriptors = agreed & feature::INDIRECT_DESC != 0;
        features.event_index = agreed & feature::EVENT_IDX != 0;
        features.hot_plug = agreed & feature::HOTPLUG != 0;
        features.changes = agreed & feature::CHANGE != 0;
        Ok(features)
    }

    /// How doorbells of request queues are left out.
    pub(super) const fn kicks(&self, choices: &Choices) -> Suppression {
        match (choices.kick_suppression, self.event_index) {
            (false, _) => Suppression::None,
            (true, false) => Suppression::Flags,
            (true, true) => Suppression::EventIndex,
        }
    }
}

fn read_config<M: Mmio>(regs: &Regs<M>) -> Result<Features, ControllerError> {
    let event_bytes = regs.config32(config::EVENT_INFO_SIZE);
    if event_bytes > MAX_EVENT_BYTES {
        return Err(ControllerError::Refused {
            what: "events of at most 64 bytes (event_info_size)",
            answer: u64::from(event_bytes),
        });
    }
    for (field, bytes, what) in [
        (config::SENSE_SIZE, SENSE_BYTES, "sense data of 96 bytes"),
        (config::CDB_SIZE, CDB_BYTES, "CDBs of 32 bytes"),
    ] {
        // Both have this value after a reset, and another only if it was written.
        if regs.config32(field) != bytes {
            regs.set_config32(field, bytes);
            let answer = u64::from(regs.config32(field));
            if answer != u64::from(bytes) {
                return Err(ControllerError::Refused { what, answer });
            }
        }
    }
    let mut features = Features::default();
    for _ in 0..ATTEMPTS {
        let before = regs.generation();
        features = Features {
            request_queues: regs.config32(config::NUM_QUEUES),
            max_segments: regs.config32(config::SEG_MAX),
            max_transfer_bytes: u64::from(regs.config32(config::MAX_SECTORS)) * SECTOR_BYTES,
            commands_per_unit: regs.config32(config::CMD_PER_LUN),
            max_target: regs.config16(config::MAX_TARGET),
            max_lun: regs.config32(config::MAX_LUN).min(u32::from(MAX_LUN)) as u16,
            ..Features::default()
        };
        if regs.generation() == before {
            break;
        }
    }
    regs.status()?;
    let least = [
        (u64::from(features.request_queues), "a request queue"),
        (
            u64::from(features.max_segments),
            "commands of one segment (seg_max)",
        ),
        (
            features.max_transfer_bytes,
            "commands of one block (max_sectors)",
        ),
        (
            u64::from(features.commands_per_unit),
            "a command per unit (cmd_per_lun)",
        ),
    ];
    match least.iter().find(|(value, _)| *value == 0) {
        Some((answer, what)) => Err(ControllerError::Refused {
            what,
            answer: *answer,
        }),
        None => Ok(features),
    }
}
