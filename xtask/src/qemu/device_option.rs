//! `--device-opt`: properties for the devices that xtask attaches.

use super::command::escape;
use super::controllers::by_name;
use std::str::FromStr;

/// Which devices a property is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionTarget {
    /// Every controller.
    Controllers,
    /// The controllers of one kind.
    Kind(String),
    /// Every disk.
    Disks,
}

/// One property, as `[KIND.|disk.]KEY=VALUE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceOption {
    target: OptionTarget,
    key: String,
    value: String,
}

impl FromStr for DeviceOption {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| format!("`{text}` is not KEY=VALUE"))?;
        let (target, key) = match name.split_once('.') {
            None => (OptionTarget::Controllers, name),
            Some(("disk", key)) => (OptionTarget::Disks, key),
            Some((kind, key)) if by_name(kind).is_some() => {
                (OptionTarget::Kind(kind.to_owned()), key)
            }
            Some((other, _)) => {
                return Err(format!(
                    "`{other}.` is neither `disk.` nor a kind of controller"
                ));
            }
        };
        if key.is_empty() || key.contains(',') {
            return Err(format!("`{text}` names no property"));
        }
        Ok(Self {
            target,
            key: key.to_owned(),
            value: value.to_owned(),
        })
    }
}

/// Whether one that `is_for` a device sets this property.
pub(super) fn sets(
    options: &[DeviceOption],
    key: &str,
    is_for: impl Fn(&OptionTarget) -> bool,
) -> bool {
    options
        .iter()
        .any(|option| option.key == key && is_for(&option.target))
}

/// A `-device` argument with the properties that `is_for` it.
pub(super) fn with_options(
    mut device: String,
    options: &[DeviceOption],
    is_for: impl Fn(&OptionTarget) -> bool,
) -> String {
    for option in options.iter().filter(|option| is_for(&option.target)) {
        device.push_str(&format!(",{}={}", option.key, escape(&option.value)));
    }
    device
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::qemu::controllers::{Controller, by_name};

    #[test]
    fn a_property_reaches_the_devices_it_is_for() {
        let options: Vec<DeviceOption> = ["max_ioqpairs=2", "nvme.mdts=1", "disk.serial=a,b"]
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        let nvme = Controller::nth(by_name("nvme").unwrap(), 0);
        assert_eq!(
            nvme.device(&options, 1),
            "nvme,serial=ioprobe,id=controller3,addr=0x3,max_ioqpairs=2,mdts=1"
        );
        let pvscsi = Controller::nth(by_name("pvscsi").unwrap(), 1);
        assert_eq!(
            pvscsi.device(&options, 1),
            "pvscsi,id=controller4,addr=0x4,max_ioqpairs=2"
        );
        let disk = pvscsi.disk_device(0, "n", &options);
        assert!(disk.ends_with(",drive=n,serial=a,,b"), "{disk}");
    }

    #[test]
    fn what_is_no_property_is_refused_with_its_text() {
        for text in ["mdts", "=1", "nvmee.mdts=1", "disk.=1", "a,b=1"] {
            let error = text.parse::<DeviceOption>().unwrap_err();
            assert!(error.contains('`'), "{text}: {error}");
        }
    }
}
