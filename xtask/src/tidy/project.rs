//! What the checks look at: the project's files and its packages, read once.

use super::files::Files;
use super::packages::{self, Package};
use crate::failure::Result;
use crate::workspace::Workspace;

/// The checkout as the checks see it.
pub(crate) struct Project {
    pub(crate) files: Files,
    pub(crate) packages: Vec<Package>,
}

impl Project {
    pub(crate) fn read(workspace: &Workspace) -> Result<Self> {
        Ok(Self {
            files: Files::read(workspace)?,
            packages: packages::read(workspace)?,
        })
    }

    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        Self {
            files: Files::of(files),
            packages: Vec::new(),
        }
    }
}
