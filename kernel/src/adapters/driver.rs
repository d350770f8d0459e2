//! What all kinds have in common.

use super::{lsisas, nvme, pvscsi, virtio_scsi};
use crate::hal::{Machine, MmioRegion, TscClock};
use crate::interrupts::{Line, Platform};
use crate::pci::{Bar, Config, Function};
use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use drivers::block::{ControllerError, Options};
use engine::session::{Adapter, Target};

/// A running controller of any kind.
pub(super) type Running = Box<dyn Target<TscClock>>;

/// How the BAR of the registers is found.
pub(super) enum Registers {
    /// The first memory BAR of at least so many bytes.
    FirstOf(u64),
    /// The function's capabilities name it: its number, or why there is none.
    Named(fn(&Function) -> Result<u8, &'static str>),
}

/// One kind of controller.
pub(super) struct Driver {
    /// Short kind as users name it.
    pub kind: &'static str,
    /// Whether it drives a function.
    pub drives: fn(&Function) -> bool,
    /// Where its registers are.
    pub registers: Registers,
    /// Brings a controller up.
    pub start: fn(&Function, Machine, MmioRegion, &Options) -> Result<Running, ControllerError>,
}

/// All kinds.
static DRIVERS: [&Driver; 4] = [
    &pvscsi::DRIVER,
    &lsisas::DRIVER,
    &nvme::DRIVER,
    &virtio_scsi::DRIVER,
];

/// Why a controller is not in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartError {
    /// No memory BAR of that size has an address that can be mapped.
    NoRegisters {
        /// Bytes that are needed.
        bytes: u64,
    },
    /// It has no interface that is driven: why.
    Unusable(&'static str),
    /// The driver gave up.
    Driver(ControllerError),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRegisters { bytes } => write!(
                f,
                "no memory BAR of {bytes} bytes or more has an address that can be mapped"
            ),
            Self::Unusable(why) => f.write_str(why),
            Self::Driver(error) => write!(f, "bring-up failed: {error}"),
        }
    }
}

/// A controller that was found but does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub kind: &'static str,
    /// Its PCI path.
    pub pci: String,
    /// Why.
    pub error: StartError,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{} is left out: {}", self.kind, self.pci, self.error)
    }
}

/// All controllers that were found.
#[derive(Default)]
pub struct Started {
    /// Those that run, in PCI order.
    pub adapters: Vec<Adapter<TscClock>>,
    /// Those that do not.
    pub failures: Vec<Failure>,
}

/// Starts every controller that has a driver. `between` is called after each, for
/// work that wants to be done now and then.
pub fn start_all(
    config: &Rc<Config>,
    platform: &Rc<Platform>,
    functions: &[Function],
    machine: Machine,
    options: &Options,
    mut between: impl FnMut(),
) -> Started {
    let mut started = Started::default();
    for function in functions {
        let Some(driver) = driver_of(function) else {
            continue;
        };
        match start(driver, config, function, machine, options) {
            Ok(controller) => started.adapters.push(Adapter {
                pci: function.path.clone(),
                pci_id: function.id(),
                bars: function.bars.iter().map(Bar::info).collect(),
                interrupts: function.interrupts.names(),
                line: Box::new(Line::new(
                    Rc::clone(platform),
                    Rc::clone(config),
                    function.clone(),
                    started.adapters.len(),
                )),
                controller,
            }),
            Err(error) => started.failures.push(Failure {
                kind: driver.kind,
                pci: function.path.clone(),
                error,
            }),
        }
        between();
    }
    started
}

fn driver_of(function: &Function) -> Option<&'static Driver> {
    DRIVERS
        .iter()
        .find(|driver| (driver.drives)(function))
        .copied()
}

/// Brings one controller up. If that fails, the device may have been told of
/// memory that is free now, so it loses its access to memory.
fn start(
    driver: &Driver,
    config: &Config,
    function: &Function,
    machine: Machine,
    options: &Options,
) -> Result<Running, StartError> {
    let registers = match driver.registers {
        Registers::FirstOf(bytes) => function
            .map_first_bar(bytes)
            .ok_or(StartError::NoRegisters { bytes })?,
        Registers::Named(bar_of) => {
            let bar = bar_of(function).map_err(StartError::Unusable)?;
            function
                .map_bar(bar)
                .ok_or(StartError::NoRegisters { bytes: 1 })?
        }
    };
    function.enable(config);
    (driver.start)(function, machine, registers, options).map_err(|error| {
        function.stop_bus_mastering(config);
        StartError::Driver(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pci::Interrupts;
    use alloc::string::ToString;

    fn function(vendor: u16, device: u16, class: [u8; 3]) -> Function {
        Function::without_bars("00:03.0", vendor, device, class, Interrupts::default())
    }

    #[test]
    fn pvscsi_is_known_by_its_id_whatever_its_class() {
        for class in [[1, 0, 0], [1, 7, 0]] {
            let driver = driver_of(&function(0x15ad, 0x07c0, class));
            assert_eq!(driver.map(|driver| driver.kind), Some("pvscsi"));
        }
        assert!(driver_of(&function(0x15ad, 0x0405, [3, 0, 0])).is_none());
        assert!(driver_of(&function(0x1000, 0x07c0, [1, 7, 0])).is_none());
    }

    #[test]
    fn lsisas_is_known_by_its_id_and_its_parallel_sibling_is_not() {
        for class in [[1, 0, 0], [1, 7, 0]] {
            let driver = driver_of(&function(0x1000, 0x0054, class));
            assert_eq!(driver.map(|driver| driver.kind), Some("lsisas"));
        }
        assert!(driver_of(&function(0x1000, 0x0030, [1, 0, 0])).is_none());
    }

    #[test]
    fn nvme_is_known_by_its_class_whoever_made_it() {
        for (vendor, device) in [(0x1b36, 0x0010), (0x15ad, 0x07f0), (0x80ee, 0x4e56)] {
            let driver = driver_of(&function(vendor, device, [1, 8, 2]));
            assert_eq!(driver.map(|driver| driver.kind), Some("nvme"));
        }
        assert!(driver_of(&function(0x1b36, 0x0010, [1, 8, 1])).is_none());
    }

    #[test]
    fn virtio_scsi_is_known_by_both_ids_and_refused_without_a_modern_interface() {
        for device in [0x1004, 0x1048] {
            let found = function(0x1af4, device, [1, 0, 0]);
            let driver = driver_of(&found).unwrap();
            assert_eq!(driver.kind, "virtio-scsi");
            let Registers::Named(bar_of) = driver.registers else {
                panic!("its capabilities name the BAR");
            };
            assert!(bar_of(&found).unwrap_err().contains("disable-modern=on"));
        }
        assert!(driver_of(&function(0x1af4, 0x1042, [1, 0, 0])).is_none());
    }

    #[test]
    fn a_failure_names_the_controller_and_the_reason() {
        let failure = Failure {
            kind: "pvscsi",
            pci: "00:1c.0/00.0".into(),
            error: StartError::NoRegisters { bytes: 32_768 },
        };
        assert_eq!(
            failure.to_string(),
            "pvscsi@00:1c.0/00.0 is left out: no memory BAR of 32768 bytes or more has an \
             address that can be mapped"
        );
    }
}
