-- Events that could not be applied. The id gives the order in which they were kept.
CREATE TABLE projectionist_dead_letters (
    id         INTEGER PRIMARY KEY,
    -- Empty for a record that is no envelope.
    projection TEXT NOT NULL,
    key        TEXT NOT NULL,
    manifest   TEXT NOT NULL,
    "offset"   TEXT NOT NULL,
    class      TEXT NOT NULL,
    error      TEXT NOT NULL,
    field      TEXT,
    value      TEXT,
    event      BLOB NOT NULL,
    attempts   INTEGER NOT NULL,
    -- Unix milliseconds.
    failed_at  INTEGER NOT NULL,
    UNIQUE (projection, key, manifest, "offset")
) STRICT;
