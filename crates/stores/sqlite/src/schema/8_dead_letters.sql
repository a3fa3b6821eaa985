-- Letters go when they are replayed or discarded, so that their ids are names that people use: no
-- id is ever given twice. And a letter may fail again: it keeps when it was given up first.
CREATE TABLE projectionist_dead_letters_8 (
    id              INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Empty for a record that is no envelope.
    projection      TEXT NOT NULL,
    key             TEXT NOT NULL,
    manifest        TEXT NOT NULL,
    "offset"        TEXT NOT NULL,
    class           TEXT NOT NULL,
    error           TEXT NOT NULL,
    field           TEXT,
    value           TEXT,
    event           BLOB NOT NULL,
    attempts        INTEGER NOT NULL,
    -- Unix milliseconds: when it was given up first, and last.
    first_failed_at INTEGER NOT NULL,
    failed_at       INTEGER NOT NULL,
    UNIQUE (projection, key, manifest, "offset")
) STRICT;
INSERT INTO projectionist_dead_letters_8
    SELECT id, projection, key, manifest, "offset", class, error, field, value, event, attempts,
        failed_at, failed_at
    FROM projectionist_dead_letters ORDER BY id;
DROP TABLE projectionist_dead_letters;
ALTER TABLE projectionist_dead_letters_8 RENAME TO projectionist_dead_letters;
