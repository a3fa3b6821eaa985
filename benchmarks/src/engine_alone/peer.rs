//! Asks the peer, a program of its own, for the same figures.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::run::Cost;
use crate::failure::Outcome;
use crate::flavor::Flavor;

/// The variable with the path of the peer's program.
pub const VARIABLE: &str = "DATUM_BARS";

/// The peer's two programs.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Tells the speed.
    speed: PathBuf,
    /// Tells the allocations; counting slows the peer down, because it allocates.
    counting: PathBuf,
}

impl Peer {
    /// The peer that the environment names, if it names one. The counting program stands beside it.
    #[must_use]
    pub fn from_environment() -> Option<Self> {
        let speed = PathBuf::from(std::env::var_os(VARIABLE)?);
        let counting = speed.with_file_name("datum-bars-counting");
        Some(Self { speed, counting })
    }

    /// The processor time an envelope of one run, in nanoseconds.
    ///
    /// # Errors
    /// When the peer fails or prints something else.
    pub fn cpu_nanos(&self, mode: &str, flavor: Flavor, envelopes: u64) -> Outcome<f64> {
        field(
            &ask(&self.speed, mode, flavor, envelopes)?,
            "cpu_ns_per_event",
        )
    }

    /// What an envelope cost in one run that counts.
    ///
    /// # Errors
    /// When the peer fails or prints something else.
    pub fn counted(&self, mode: &str, flavor: Flavor, envelopes: u64) -> Outcome<Cost> {
        let line = ask(&self.counting, mode, flavor, envelopes)?;
        Ok(Cost {
            cpu_nanos: field(&line, "cpu_ns_per_event")?,
            allocations: field(&line, "allocations_per_event")?,
        })
    }
}

fn ask(program: &Path, mode: &str, flavor: Flavor, envelopes: u64) -> Outcome<String> {
    let output = Command::new(program)
        .arg("mem")
        .arg(format!("mode={mode}"))
        .arg(format!("runtime={}", flavor.name()))
        .arg(format!("events={envelopes}"))
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| format!("cannot start {}: {error}", program.display()))?;
    if !output.status.success() {
        return Err(format!("{} ended with {}", program.display(), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// The number behind `name=` in a line of fields.
fn field(line: &str, name: &str) -> Outcome<f64> {
    let fields = line
        .split_whitespace()
        .filter_map(|word| word.split_once('='));
    let value = fields.into_iter().find(|(key, _)| *key == name);
    let (_, value) = value.ok_or_else(|| format!("the peer printed no {name}: {line}"))?;
    Ok(value.parse()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_by_their_names() {
        let line = "peer=datum cpu_ns_per_event=3012.5 allocations_per_event=uncounted\n";
        assert_eq!(field(line, "cpu_ns_per_event").unwrap(), 3012.5);
        assert!(field(line, "allocations_per_event").is_err());
        assert!(
            field(line, "events")
                .unwrap_err()
                .to_string()
                .contains("events")
        );
    }
}
