-- What each projection is declared as, and the source that it was first run from.
CREATE TABLE projectionist_declarations (
    projection  TEXT PRIMARY KEY,
    declaration TEXT NOT NULL,
    hash        TEXT NOT NULL,
    version     TEXT NOT NULL,
    origin      TEXT NOT NULL,
    deployed_at INTEGER NOT NULL,
    source      TEXT,
    withdrawn   INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
