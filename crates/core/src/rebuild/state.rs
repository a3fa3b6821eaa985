//! How far a rebuild is, as any process can read it.

use std::sync::Arc;

use super::Beside;
use crate::contract::{Declaration, RebuildStore};
use crate::{Error, LaneState, ProjectionId, Result, Timestamp};

/// What a rebuild is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RebuildPhase {
    /// It reads the events from the first one on.
    #[default]
    Building,
    /// It compares what it has built with what is in use.
    Comparing,
    /// It reads what came meanwhile, until it can take the place of what is in use.
    CatchingUp,
}

impl RebuildPhase {
    /// The stored and printed name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Building => "building",
            Self::Comparing => "comparing",
            Self::CatchingUp => "catching up",
        }
    }

    /// Reads the name back.
    ///
    /// # Errors
    /// [`Error::Damaged`] for any other text.
    pub fn parse(text: &str) -> Result<Self> {
        let mut all = [Self::Building, Self::Comparing, Self::CatchingUp].into_iter();
        all.find(|phase| phase.name() == text)
            .ok_or_else(|| Error::Damaged {
                what: "phase of a rebuild".to_owned(),
                text: text.to_owned(),
            })
    }
}

/// A rebuild that is not finished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebuild {
    /// What the read model is built as; names the projection in use. The swap keeps it.
    pub declaration: Declaration,
    /// The hash of the declaration that was kept when the rebuild began; `None` when there was
    /// none. The swap is refused when it is another one by then.
    pub replaces: Option<String>,
    /// The declared name of the table in use; `None` when there is none that is known.
    pub live_table: Option<Arc<str>>,
    /// The declared name that the table gets.
    pub table: Arc<str>,
    /// What is read from, without credentials.
    pub source: String,
    /// The key of the lane.
    pub key: String,
    /// What it does.
    pub phase: RebuildPhase,
    /// How many bytes the source had at the last look; `None` where that is not known.
    pub source_bytes: Option<u64>,
    /// When it began.
    pub began_at: Timestamp,
    /// When it was last resumed.
    pub resumed_at: Timestamp,
    /// How many events it had read by then.
    pub resumed_read: u64,
}

impl Rebuild {
    /// The name of the projection in use.
    #[must_use]
    pub fn projection(&self) -> &str {
        &self.declaration.projection
    }

    /// The lane that it builds under.
    ///
    /// # Errors
    /// [`Error::Configuration`] for a name or key that no lane can have.
    pub fn shadow_lane(&self) -> Result<ProjectionId> {
        let name = Beside::Shadow.projection(self.projection());
        ProjectionId::new(name, &self.key)
    }
}

/// What the last swap of a projection has put aside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptGeneration {
    /// The name of the projection.
    pub projection: String,
    /// What it was declared as; `None` when no declaration was kept.
    pub declaration: Option<Declaration>,
    /// When it was put aside.
    pub kept_at: Timestamp,
}

/// How far a rebuild is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RebuildState {
    /// The rebuild.
    pub rebuild: Rebuild,
    /// Its lane: what it has read, where it stands, and who does it.
    pub lane: LaneState,
    /// The lane in use; `None` when there is none.
    pub live: Option<LaneState>,
}

impl RebuildState {
    /// The events a second since it was last resumed; `None` before the first ones.
    #[must_use]
    pub fn events_per_second(&self) -> Option<f64> {
        let until = self.lane.updated_at?.unix_millis;
        let read = self
            .lane
            .counters
            .read
            .checked_sub(self.rebuild.resumed_read)?;
        let millis = until.checked_sub(self.rebuild.resumed_at.unix_millis)?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a rate for people; counts beyond 2^53 lose their last digits only"
        )]
        let rate = (millis > 0 && read > 0).then(|| read as f64 * 1000.0 / millis as f64);
        rate
    }
}

/// How far the rebuild of a projection is; `None` when there is none that is not finished.
///
/// # Errors
/// Those of the store.
pub async fn rebuild_state<S: RebuildStore>(
    store: &S,
    projection: &str,
) -> Result<Option<RebuildState>> {
    let rebuilds = store.rebuilds().await?;
    let mut of_name = rebuilds
        .into_iter()
        .filter(|rebuild| rebuild.projection() == projection);
    let Some(rebuild) = of_name.next() else {
        return Ok(None);
    };
    let live = ProjectionId::new(projection, &rebuild.key)?;
    // The swap or an end of the rebuild may come between the two.
    let Some(lane) = store.lane(&rebuild.shadow_lane()?).await? else {
        return Ok(None);
    };
    let live = store.lane(&live).await?;
    Ok(Some(RebuildState {
        rebuild,
        lane,
        live,
    }))
}
