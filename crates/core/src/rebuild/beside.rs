//! Names of what stands beside the read model that is in use.

use std::sync::Arc;

/// What stands beside the read model that is in use, and may take its place.
///
/// It has its own lane, guard, dead letters and tables, under names that no file can declare: names
/// of projections do not begin with `projectionist:`, and names of tables not with
/// `projectionist_`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Beside {
    /// What a rebuild builds.
    Shadow,
    /// What a rebuild has put aside, so that it can be put back.
    Kept,
    /// What is on its way from one name to another. Seen within a transaction only.
    Passing,
}

impl Beside {
    const ALL: [Self; 3] = [Self::Shadow, Self::Kept, Self::Passing];

    /// How the names of its projections begin.
    const fn projection_prefix(self) -> &'static str {
        match self {
            Self::Shadow => "projectionist:rebuild:",
            Self::Kept => "projectionist:kept:",
            Self::Passing => "projectionist:passing:",
        }
    }

    /// How the declared names of its tables begin.
    const fn table_prefix(self) -> &'static str {
        match self {
            Self::Shadow => "projectionist_rebuild_",
            Self::Kept => "projectionist_kept_",
            Self::Passing => "projectionist_passing_",
        }
    }

    /// The name of its projection: that of its lane, its guard and its dead letters.
    #[must_use]
    pub fn projection(self, live: &str) -> String {
        self.projection_prefix().to_owned() + live
    }

    /// The declared name of its table.
    #[must_use]
    pub fn table(self, live: &str) -> Arc<str> {
        (self.table_prefix().to_owned() + live).into()
    }

    /// What a projection of this name is, and the name of the one in use; `None` for one that is in
    /// use.
    ///
    /// ```
    /// use projectionist_core::rebuild::Beside;
    ///
    /// let name = Beside::Shadow.projection("orders");
    /// assert_eq!(Beside::of_projection(&name), Some((Beside::Shadow, "orders")));
    /// assert_eq!(Beside::of_projection("orders"), None);
    /// ```
    #[must_use]
    pub fn of_projection(name: &str) -> Option<(Self, &str)> {
        Self::ALL.into_iter().find_map(|beside| {
            let live = name.strip_prefix(beside.projection_prefix())?;
            Some((beside, live))
        })
    }

    /// As [`of_projection`](Self::of_projection), by the declared name of a table.
    #[must_use]
    pub fn of_table(name: &str) -> Option<(Self, &str)> {
        Self::ALL.into_iter().find_map(|beside| {
            let live = name.strip_prefix(beside.table_prefix())?;
            Some((beside, live))
        })
    }
}
