//! Reads the offset of a start that is given as text.

use projectionist_core::{Error, Offset, Position, Result};

/// The position behind which a lane begins that starts after `offset`.
pub(crate) fn position_of<P: Position>(offset: &Offset) -> Result<P> {
    if offset.manifest == P::MANIFEST {
        return P::parse(&offset.text);
    }
    Err(Error::Configuration {
        subject: format!("start after `{offset}`"),
        reason: format!(
            "its format is `{}`, this source writes `{}`",
            offset.manifest,
            P::MANIFEST
        ),
    })
}
