//! One event cannot take memory without bound, however many rows it makes.

use projectionist_core::ErrorClass;
use projectionist_core::row::RowBatch;
use projectionist_language::model::Sequence;

use crate::support::things::{all_operations, row_of, run, runner};

/// An event that replaces the rows of a text by `count` rows with it.
fn many_rows(count: usize, text: &str) -> String {
    let items: Vec<String> = (0..count).map(|item| format!("\"{item}\"")).collect();
    format!("ALL x {{\"t\":\"{text}\",\"items\":[{}]}}", items.join(","))
}

#[tokio::test]
async fn an_event_that_makes_too_many_rows_is_a_dead_letter_and_its_neighbours_are_applied() {
    let program = all_operations(Sequence::None);
    let cells = many_rows(
        RowBatch::MAX_CELLS / program.projections[0].columns.len() + 1,
        "t",
    );
    let text = many_rows(RowBatch::MAX_TEXT_BYTES / 1_000, &"t".repeat(1_000));
    assert!(text.len() < 2 << 20, "an event that is not large itself");
    for too_much in [cells, text] {
        let mut runner = runner(&program).await;
        run(&mut runner, &["PUT a {}", &too_much, "PUT b {}"]).await;
        assert!(row_of(&runner, "a").await.is_some() && row_of(&runner, "b").await.is_some());
        assert_eq!(runner.rows("").await.len(), 2);
        let [(1, ErrorClass::Data, said)] = runner.dead.as_slice() else {
            panic!("one dead letter, not {:?}", runner.dead);
        };
        assert!(
            said.contains("the event makes too many rows or too much text"),
            "{said}"
        );
        let bounds = [RowBatch::MAX_CELLS, RowBatch::MAX_TEXT_BYTES];
        assert!(
            bounds.iter().all(|bound| said.contains(&bound.to_string())),
            "{said}"
        );
        assert_eq!(
            (runner.counters.applied, runner.counters.dead_lettered),
            (2, 1)
        );
    }
}

#[tokio::test]
async fn the_tenants_of_a_group_share_its_bound() {
    let program = all_operations(Sequence::None);
    let text = "t".repeat(1_000);
    let two_thirds = many_rows(RowBatch::MAX_TEXT_BYTES / 1_500, &text);
    let payload = two_thirds.strip_prefix("ALL x ").unwrap();
    let mut runner = runner(&program).await;
    let group: Vec<_> = ["acme", "globex"]
        .iter()
        .map(|tenant| {
            runner.decode(&format!(
                r#"{{"eventType":"ALL","entityId":"x","tenantSchema":"{tenant}","payload":{payload}}}"#
            ))
        })
        .collect();
    let refused = runner.refused(&group).await.unwrap();
    assert!(
        refused.contains("the 2 events of a group make too many rows"),
        "{refused}"
    );
    runner.run(&group).await;
    assert_eq!((runner.counters.applied, runner.dead.len()), (2, 0));
}
