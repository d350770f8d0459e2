//! What all kinds have in common.

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
pub type Running = Box<dyn Target<TscClock>>;

/// How the BAR of the registers is found.
pub enum Registers {
    /// The first memory BAR of at least so many bytes.
    FirstOf(u64),
    /// The function's capabilities name it: its number, or why there is none.
    Named(fn(&Function) -> Result<u8, &'static str>),
}

/// One kind of controller.
pub struct Driver {
    /// Short kind as users name it.
    pub kind: &'static str,
    /// Whether it drives a function.
    pub drives: fn(&Function) -> bool,
    /// Where its registers are.
    pub registers: Registers,
    /// Brings a controller up.
    pub start: fn(&Function, Machine, MmioRegion, &Options) -> Result<Running, ControllerError>,
}

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

/// Starts every controller that one of `drivers` drives. `between` is called after
/// each, for work that wants to be done now and then.
pub fn start_all(
    drivers: &[&Driver],
    config: &Rc<Config>,
    platform: &Rc<Platform>,
    functions: &[Function],
    machine: Machine,
    options: &Options,
    mut between: impl FnMut(),
) -> Started {
    let mut started = Started::default();
    for function in functions {
        let Some(driver) = driver_of(drivers, function) else {
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

/// The driver of a function, if there is one.
fn driver_of<'a>(drivers: &[&'a Driver], function: &Function) -> Option<&'a Driver> {
    let mut drivers = drivers.iter();
    drivers.find(|driver| (driver.drives)(function)).copied()
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
    use alloc::string::ToString;

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
