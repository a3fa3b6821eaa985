//! Whether what was built has come as far as what is in use.

use projectionist_core::Offset;

use crate::commands::files::position_of;

/// Whether `shadow` is at or behind `live` in the same file. Where the lane in use stands in another
/// file its place says nothing, and nothing is waited for.
pub(super) fn has_reached(shadow: Option<&Offset>, live: Option<&Offset>) -> bool {
    let Some(live) = live.and_then(position_of) else {
        return true;
    };
    let Some(shadow) = shadow.and_then(position_of) else {
        return false;
    };
    let is_other = live.head.length() == shadow.head.length() && live.head != shadow.head;
    is_other || shadow >= live
}

#[cfg(test)]
mod tests {
    use projectionist_core::Position;
    use projectionist_source_file::{FileIdentity, FilePosition};

    use super::*;

    fn at(byte: u64, head: &[u8]) -> Offset {
        let head = FileIdentity::of(head);
        Offset {
            manifest: FilePosition::MANIFEST.into(),
            text: format!("{byte}:1:{head}"),
        }
    }

    #[test]
    fn the_place_in_the_same_file_decides() {
        let live = at(100, b"abc");
        assert!(has_reached(Some(&at(100, b"abc")), Some(&live)));
        assert!(has_reached(Some(&at(101, b"abc")), Some(&live)));
        assert!(!has_reached(Some(&at(99, b"abc")), Some(&live)));
        assert!(!has_reached(None, Some(&live)));
    }

    #[test]
    fn a_lane_without_a_place_or_in_another_file_is_not_waited_for() {
        let shadow = at(1, b"abc");
        assert!(has_reached(Some(&shadow), None));
        assert!(has_reached(None, None));
        assert!(has_reached(Some(&shadow), Some(&at(100, b"xyz"))));
        let foreign = Offset {
            manifest: "stream".into(),
            text: "9".to_owned(),
        };
        assert!(has_reached(Some(&shadow), Some(&foreign)));
    }
}
