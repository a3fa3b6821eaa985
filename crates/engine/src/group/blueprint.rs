//! The inert blueprint of a group.

use std::collections::HashSet;
use std::fmt;

use projectionist_core::contract::{OffsetStore, SourceProvider};
use projectionist_core::{Error, ProjectionId, Result};

use super::ProjectionGroupHandle;
use crate::delivery::Delivery;
use crate::runtime::Reservation;
use crate::{Projection, ProjectionHandle, ProjectionRuntime};

/// A projection of any source, store and delivery: what a group of unlike projections is made of.
/// Inert, as the [`Projection`] it is made from.
pub struct AnyProjection {
    id: ProjectionId,
    /// Whether its settings can work.
    checked: Result<()>,
    launch: Box<Launch>,
}

type Launch = dyn FnOnce(&ProjectionRuntime, Reservation) -> Result<ProjectionHandle> + Send;

impl AnyProjection {
    /// Its identity.
    #[must_use]
    pub fn id(&self) -> &ProjectionId {
        &self.id
    }
}

impl<P, S, D> From<Projection<P, S, D>> for AnyProjection
where
    P: SourceProvider,
    S: OffsetStore,
    D: Delivery<P, S>,
{
    fn from(projection: Projection<P, S, D>) -> Self {
        Self {
            id: projection.id.clone(),
            checked: projection.settings.check(&projection.id),
            launch: Box::new(|runtime, reservation| runtime.launch(projection, reservation)),
        }
    }
}

impl fmt::Debug for AnyProjection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnyProjection").field(&self.id).finish()
    }
}

/// Projections that are started and managed together.
///
/// It is inert until it is spawned: nothing is opened, claimed or built before.
///
/// ```no_run
/// # fn example<P, S, D>(runtime: &projectionist_engine::ProjectionRuntime,
/// #     orders: projectionist_engine::Projection<P, S, D>,
/// #     template: impl Fn(projectionist_core::ProjectionId) -> projectionist_engine::Projection<P, S, D>)
/// # -> projectionist_core::Result<()>
/// # where P: projectionist_core::contract::SourceProvider, S: projectionist_core::contract::OffsetStore,
/// #     D: projectionist_engine::Delivery<P, S> {
/// use projectionist_engine::ProjectionGroup;
///
/// // One projection for each part of a source.
/// let totals = ProjectionGroup::for_keys("totals", ["eu", "us"], template).spawn(runtime)?;
/// assert!(totals.instance("eu").is_some());
/// // Unlike projections.
/// let views = ProjectionGroup::of([orders.into()]).spawn(runtime)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ProjectionGroup {
    projections: Vec<Result<AnyProjection>>,
}

impl ProjectionGroup {
    /// One projection for each key: `template` makes the projection of every identity
    /// (`name`, key). It is called here, once a key.
    pub fn for_keys<K, P, S, D>(
        name: impl AsRef<str>,
        keys: impl IntoIterator<Item = K>,
        template: impl Fn(ProjectionId) -> Projection<P, S, D>,
    ) -> Self
    where
        K: AsRef<str>,
        P: SourceProvider,
        S: OffsetStore,
        D: Delivery<P, S>,
    {
        let name = name.as_ref();
        let make = |key: K| {
            let id = ProjectionId::new(name, key.as_ref())?;
            let projection = template(id.clone());
            check_identity(&id, &projection.id)?;
            Ok(projection.into())
        };
        let projections = keys.into_iter().map(make).collect();
        Self { projections }
    }

    /// Projections of any kind.
    pub fn of(projections: impl IntoIterator<Item = AnyProjection>) -> Self {
        let projections = projections.into_iter().map(Ok).collect();
        Self { projections }
    }

    /// The same group with one more projection.
    #[must_use]
    pub fn with(mut self, projection: impl Into<AnyProjection>) -> Self {
        self.projections.push(Ok(projection.into()));
        self
    }

    /// Checks and reserves every identity, and then starts every projection.
    ///
    /// # Errors
    /// [`Error::Configuration`] for a blank key or one that the group has twice, for a setting that
    /// cannot work, and for a template that gives another identity than it was asked for; [`Error::AlreadyRunning`] when `runtime`
    /// runs one of the identities already. Nothing was started or claimed then, and nothing stays
    /// reserved. [`Error::Configuration`] as well when no thread can be had for one of the
    /// projections; those that were started before it are asked to stop.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn spawn(self, runtime: &ProjectionRuntime) -> Result<ProjectionGroupHandle> {
        let projections: Result<Vec<AnyProjection>> = self.projections.into_iter().collect();
        let projections = projections?;
        let mut seen = HashSet::new();
        if let Some(twice) = projections.iter().find(|one| !seen.insert(one.id.clone())) {
            return Err(Error::Configuration {
                subject: format!("group with {}", twice.id),
                reason: "it has this projection twice; give each a key of its own".to_owned(),
            });
        }
        let reserve = |one: AnyProjection| {
            one.checked?;
            Ok((runtime.reserve(&one.id)?, one.launch))
        };
        let reserved: Result<Vec<_>> = projections.into_iter().map(reserve).collect();
        let launched = reserved?.into_iter();
        let instances: Result<Vec<_>> = launched
            .map(|(reservation, launch)| launch(runtime, reservation))
            .collect();
        Ok(ProjectionGroupHandle::new(instances?))
    }
}

/// A template must make the projection that it was asked for.
pub(crate) fn check_identity(asked: &ProjectionId, made: &ProjectionId) -> Result<()> {
    if asked == made {
        return Ok(());
    }
    Err(Error::Configuration {
        subject: format!("template of {asked}"),
        reason: format!("it makes {made}; hand on the identity that it is given"),
    })
}
