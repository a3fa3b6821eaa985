//! Runs a handler over the memory store as an engine would: begin, handle, commit; a group that
//! fails because of a row is cut until the event at fault is alone.

use std::time::Duration;

use bytes::Bytes;
use projectionist_apply::{
    ApplyOptions, DeclaredCodec, DeclaredEvent, DeclaredHandler, DeclaredProjection,
};
use projectionist_core::contract::{
    EventCodec, GroupContext, GroupReport, GroupedTransactionalHandler, GuardScope, OffsetStore,
    SequenceGuard, TransactionalOffsetStore,
};
use projectionist_core::row::{OwnedCell, TableName};
use projectionist_core::{
    Claim, ClaimOutcome, ClaimRequest, Commit, Counters, Error, ErrorClass, Offset, Owner,
    Position, ProjectionId, Result, Take,
};
use projectionist_language::model::Program;
use projectionist_store_memory::MemoryStore;

/// An event's place: how many were settled with it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Count(pub(crate) u64);

impl Position for Count {
    const MANIFEST: &'static str = "count";

    fn write_to(&self, out: &mut String) {
        out.push_str(&self.0.to_string());
    }

    fn parse(text: &str) -> Result<Self> {
        Ok(Self(text.parse().unwrap()))
    }
}

pub(crate) struct Runner {
    store: MemoryStore,
    claim: Claim,
    program: Program,
    codec: DeclaredCodec,
    scratch: <DeclaredCodec as EventCodec>::Scratch,
    options: ApplyOptions,
    handler: DeclaredHandler<MemoryStore>,
    settled: u64,
    pub(crate) counters: Counters,
    /// The dead letters by the number of the event, with their class and what they say.
    pub(crate) dead: Vec<(u64, ErrorClass, String)>,
}

impl Runner {
    pub(crate) async fn new(program: &Program, options: ApplyOptions) -> Self {
        Self::on_lane(MemoryStore::new(), "all", program, options).await
    }

    /// A runner of another lane of the same projection, over the same store.
    pub(crate) async fn of_lane(&self, key: &str) -> Self {
        Self::on_lane(self.store.clone(), key, &self.program, self.options).await
    }

    async fn on_lane(
        store: MemoryStore,
        key: &str,
        program: &Program,
        options: ApplyOptions,
    ) -> Self {
        let request = ClaimRequest {
            lane: ProjectionId::new("rows", key).unwrap(),
            owner: Owner {
                instance: "test".into(),
                process: None,
            },
            ttl: Duration::from_secs(3_600),
            take: Take::Free,
        };
        let ClaimOutcome::Granted { claim, .. } = store.claim(&request).await.unwrap() else {
            panic!("nobody else holds the lane");
        };
        let codec = DeclaredCodec::new(program);
        Self {
            handler: DeclaredProjection::new(program, 0, &codec, options)
                .map(|declared| declared.handler(store.clone()))
                .unwrap(),
            store,
            claim,
            program: program.clone(),
            codec,
            scratch: Default::default(),
            options,
            settled: 0,
            counters: Counters::default(),
            dead: Vec::new(),
        }
    }

    pub(crate) fn decode(&mut self, record: &str) -> DeclaredEvent {
        let record = Bytes::copy_from_slice(record.as_bytes());
        self.codec.decode(&mut self.scratch, record).unwrap()
    }

    /// A new run: a handler of its own over the same store.
    pub(crate) fn restart(&mut self) {
        let store = self.store.clone();
        let Self {
            program,
            codec,
            options,
            ..
        } = self;
        self.handler = DeclaredProjection::new(program, 0, codec, *options)
            .map(|declared| declared.handler(store))
            .unwrap();
    }

    /// Handles a group, gives up before the commit, and handles it again.
    pub(crate) async fn run_twice(&mut self, group: &[DeclaredEvent]) {
        let mut tx = self.begin().await;
        let mut report = GroupReport::default();
        let first = self.process(&mut tx, group, 1, &mut report).await;
        self.store.rollback(tx).await.unwrap();
        if first.is_err() {
            return self.run(group).await;
        }
        let mut tx = self.begin().await;
        report.clear();
        let second = self.process(&mut tx, group, 2, &mut report).await;
        second.unwrap();
        self.commit(tx, group, &report).await;
    }

    /// Handles a whole group and gives up; what was said when it failed.
    pub(crate) async fn refused(&mut self, group: &[DeclaredEvent]) -> Option<String> {
        let mut tx = self.begin().await;
        let mut report = GroupReport::default();
        let handled = self.process(&mut tx, group, 1, &mut report).await;
        self.store.rollback(tx).await.unwrap();
        handled.err().map(|error| error.to_string())
    }

    /// Handles a group and commits it.
    pub(crate) async fn run(&mut self, group: &[DeclaredEvent]) {
        let mut tx = self.begin().await;
        let mut report = GroupReport::default();
        match self.process(&mut tx, group, 1, &mut report).await {
            Ok(()) => self.commit(tx, group, &report).await,
            Err(error) => {
                self.store.rollback(tx).await.unwrap();
                assert!(matches!(error, Error::Row { .. }), "{error}");
                if group.len() > 1 {
                    let (first, second) = group.split_at(group.len() / 2);
                    Box::pin(self.run(first)).await;
                    Box::pin(self.run(second)).await;
                } else {
                    self.pass_over(&error).await;
                }
            }
        }
    }

    async fn begin(&self) -> <MemoryStore as TransactionalOffsetStore>::Tx {
        let offset = (self.settled > 0).then(|| Offset::of(&Count(self.settled)));
        self.store
            .begin(&self.claim, offset.as_ref())
            .await
            .unwrap()
    }

    async fn process(
        &mut self,
        tx: &mut <MemoryStore as TransactionalOffsetStore>::Tx,
        group: &[DeclaredEvent],
        attempt: u32,
        report: &mut GroupReport,
    ) -> Result<()> {
        let lane = self.claim.lane.clone();
        let context = GroupContext {
            lane: &lane,
            position: &Count(self.settled + group.len() as u64),
            attempt,
            replay: false,
            report,
        };
        let handled = self.handler.process(tx, group, context).await;
        handled.map_err(|error| *error.downcast::<Error>().unwrap())
    }

    async fn commit(
        &mut self,
        tx: <MemoryStore as TransactionalOffsetStore>::Tx,
        group: &[DeclaredEvent],
        report: &GroupReport,
    ) {
        let mut counters = *report.counters();
        counters.read = group.len() as u64;
        counters.applied = counters.read - counters.not_applied();
        for (index, defect) in report.defects() {
            let number = self.settled + *index as u64;
            self.dead.push((number, defect.class, defect.error.clone()));
        }
        self.settle(tx, counters).await;
    }

    async fn pass_over(&mut self, error: &Error) {
        let tx = self.begin().await;
        let number = self.settled;
        self.dead.push((number, error.class(), error.to_string()));
        let counters = Counters {
            read: 1,
            dead_lettered: 1,
            ..Counters::default()
        };
        self.settle(tx, counters).await;
    }

    async fn settle(
        &mut self,
        tx: <MemoryStore as TransactionalOffsetStore>::Tx,
        counters: Counters,
    ) {
        let expected = (self.settled > 0).then(|| Offset::of(&Count(self.settled)));
        self.settled += counters.read;
        let commit = Commit {
            expected,
            offset: Some(Offset::of(&Count(self.settled))),
            counters,
            ..Commit::default()
        };
        self.store
            .commit_in(tx, &self.claim, &commit)
            .await
            .unwrap();
        self.counters.add(&counters);
    }

    pub(crate) async fn has_table(&self, tenant: &str) -> bool {
        self.store.table(&self.table_name(tenant)).await.is_some()
    }

    pub(crate) async fn rows(&self, tenant: &str) -> Vec<Vec<OwnedCell>> {
        self.store.rows(&self.table_name(tenant)).await
    }

    fn table_name(&self, tenant: &str) -> TableName {
        TableName {
            tenant: (!tenant.is_empty()).then(|| tenant.into()),
            name: self.program.projections[0].table.clone(),
        }
    }

    /// What the store's guard holds of an entity.
    pub(crate) async fn last_applied(&self, tenant: &str, fork: &str, entity: &str) -> Option<i64> {
        let mut tx = self.begin().await;
        let scope = GuardScope {
            projection: &self.program.projections[0].name,
            tenant,
            fork,
        };
        let mut last = Vec::new();
        let entities = [entity];
        let read = self
            .store
            .last_applied(&mut tx, scope, &entities, &mut last);
        read.await.unwrap();
        last[0]
    }
}
