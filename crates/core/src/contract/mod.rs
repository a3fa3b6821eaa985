//! What a source, a handler and a store must do: one trait a file.
//!
//! Every trait says under the same headings what an implementer promises and what a caller may
//! rely on: contract, ordering, durability, cancellation, errors, example.

pub mod dead_letter_store;
pub mod declaration_store;
pub mod dyn_offset_store;
pub mod event_codec;
pub mod flow_handler;
pub mod group_report;
pub mod grouped_handler;
pub mod grouped_transactional_handler;
pub mod handler;
pub mod lane_source;
pub mod mailbox;
pub mod management;
pub mod observer;
pub mod offset_store;
pub mod owner_report_store;
pub mod parked_store;
pub mod read_model;
pub mod rebuild_store;
pub mod sequence_guard;
pub mod settling_handler;
pub mod source;
pub mod stateful_handler;
pub mod transactional;
pub mod transactional_dead_letter_store;
pub mod transactional_handler;

pub use dead_letter_store::{DeadLetterFilter, DeadLetterStore, StoredDeadLetter};
pub use declaration_store::{
    Declaration, DeclarationStore, Deployed, Deployment, NewDeclaration, StoredDeclaration,
    TableDeployment,
};
pub use dyn_offset_store::DynOffsetStore;
pub use event_codec::EventCodec;
pub use flow_handler::FlowHandler;
pub use group_report::{GroupContext, GroupReport};
pub use grouped_handler::GroupedHandler;
pub use grouped_transactional_handler::GroupedTransactionalHandler;
pub use handler::{Context, Handler, HandlerFn, HandlerResult, handler_fn};
pub use lane_source::{LaneEvent, LaneSource, Released};
pub use mailbox::{Ask, Mailbox, MailboxError};
pub use management::{ManagementStore, PauseFlag};
pub use observer::{FailureAction, ManagementAction, NoObserver, Observer};
pub use offset_store::{OffsetStore, Placement, StoreCapabilities};
pub use owner_report_store::OwnerReportStore;
pub use parked_store::ParkedStore;
pub use read_model::ReadModel;
pub use rebuild_store::{Reached, RebuildStore, Swapped};
pub use sequence_guard::{GuardEntry, GuardScope, SequenceGuard};
pub use settling_handler::{Settlement, SettlingHandler};
pub use source::{Mode, SourceProvider, StartPosition, Stream, start_after};
pub use stateful_handler::StatefulHandler;
pub use transactional::TransactionalOffsetStore;
pub use transactional_dead_letter_store::TransactionalDeadLetterStore;
pub use transactional_handler::TransactionalHandler;
