//! What happens to a projection, one struct an occurrence.

mod claims;
mod handling;
mod lanes;
mod management;
mod parking;
mod passed_over;
mod runs;

pub use claims::{ClaimGranted, ClaimLost, StandingBy};
pub use handling::{ContextFault, FlowContextLost, HandlerTimedOut};
pub use lanes::{LaneAssigned, LaneEnded, LaneLost, LaneRevoked};
pub use management::{LanePaused, LaneResumed, ManagementDone, ManagementRefused};
pub use parking::{EnvelopeParked, EnvelopeUnparked};
pub use passed_over::{EnvelopeSkipped, EventsDeadLettered, VerificationRefused};
pub use runs::{ProjectionEnded, ProjectionFailed, RestartScheduled};
