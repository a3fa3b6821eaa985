//! The first projection counts each word once, however often it runs.

use std::io::Write;

use projectionist::sqlite::rusqlite::Connection;
use projectionist_examples::first_projection::count_words;

#[tokio::test(flavor = "multi_thread")]
async fn words_are_counted_once_over_two_runs() {
    let folder = tempfile::tempdir().unwrap();
    let (file, views) = (
        folder.path().join("words.txt"),
        folder.path().join("views.db"),
    );
    std::fs::write(&file, "tea\ncoffee\ntea\n").unwrap();
    count_words(&file, &views).await.unwrap();
    let mut appended = std::fs::OpenOptions::new()
        .append(true)
        .open(&file)
        .unwrap();
    appended.write_all(b"tea\n").unwrap();
    count_words(&file, &views).await.unwrap();
    let connection = Connection::open(&views).unwrap();
    let mut statement = connection
        .prepare("SELECT word, count FROM words ORDER BY word")
        .unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap();
    let rows: Vec<(String, i64)> = rows.map(Result::unwrap).collect();
    assert_eq!(rows, [("coffee".to_owned(), 1), ("tea".to_owned(), 3)]);
}
