//! A source that ceases to vouch for an envelope while its group is handled in parts.

use crate::common::grouped::groups_of;
use crate::common::model::{Tables, write};
use crate::common::{SteeredStore, id, lane, no_restart, numbers};
use projectionist_core::contract::{
    GroupContext, GroupedTransactionalHandler, HandlerResult, Mode,
};
use projectionist_core::{Counters, Error};
use projectionist_engine::{Completion, Projection, ProjectionRuntime};
use projectionist_store_memory::Tx;
use projectionist_testkit::{TestEnvelope, TestSource};

/// Cannot apply 1; while a part that begins with `at` is handled, the source loses that one's
/// voucher.
struct Losing {
    source: TestSource<u64>,
    at: u64,
}

impl GroupedTransactionalHandler<TestEnvelope<u64>, Tx> for Losing {
    async fn process(
        &mut self,
        tx: &mut Tx,
        group: &[TestEnvelope<u64>],
        _: GroupContext<'_>,
    ) -> HandlerResult {
        for envelope in group {
            write(tx, envelope.event);
            if envelope.event == 1 {
                let (table, reason) = ("test".to_owned(), "it does not fit".to_owned());
                return Err(Error::Row { table, reason }.into());
            }
        }
        if group[0].event == self.at {
            self.source.refuse(self.at);
        }
        Ok(())
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_that_is_refused_is_divided_from_the_parts_around_it() {
    // The group of 1 to 8 is handled as 1, 2, 3-4 and 5-8: in each of these, one is refused.
    for at in [2, 3, 5] {
        let source = TestSource::of(numbers(8)).verifying();
        let store = SteeredStore::default();
        let factory = {
            let source = source.clone();
            move || Losing {
                source: source.clone(),
                at,
            }
        };
        let projection =
            Projection::grouped_exactly_once(id(), source.clone(), store.clone(), factory)
                .with_group(groups_of(8))
                .isolating_data_errors()
                .with_restart(no_restart())
                .with_mode(Mode::Current);
        let handle = ProjectionRuntime::new().spawn(projection).unwrap();
        assert_eq!(handle.wait().await.unwrap(), Completion::Completed);
        let applied = numbers(8)
            .into_iter()
            .filter(|event| ![1, at].contains(event));
        assert_eq!(
            Tables::of(&store.inner).await,
            Tables::fold(applied),
            "{at}"
        );
        let expected = Counters {
            read: 8,
            applied: 6,
            skipped: 1,
            dead_lettered: 1,
            ..Counters::ZERO
        };
        assert_eq!(lane(&store.inner).await.counters, expected, "{at}");
    }
}
