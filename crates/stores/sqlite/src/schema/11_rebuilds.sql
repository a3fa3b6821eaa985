-- Rebuilds that are not finished: what each builds, and what it does.
CREATE TABLE projectionist_rebuilds (
    projection    TEXT PRIMARY KEY,
    declaration   TEXT NOT NULL,
    hash          TEXT NOT NULL,
    version       TEXT NOT NULL,
    origin        TEXT NOT NULL,
    -- The hash of the declaration that it replaces.
    replaces      TEXT,
    -- The declared names of the table in use and of the one that is built.
    live_table    TEXT,
    table_name    TEXT NOT NULL,
    source        TEXT NOT NULL,
    key           TEXT NOT NULL,
    phase         TEXT NOT NULL,
    source_bytes  INTEGER,
    -- Unix milliseconds.
    began_at      INTEGER NOT NULL,
    resumed_at    INTEGER NOT NULL,
    -- The events that were read when it was resumed.
    resumed_read  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
-- What the last swap of a projection has put aside, so that it can be put back.
CREATE TABLE projectionist_kept (
    projection  TEXT PRIMARY KEY,
    -- As in the table of declarations; all none where no declaration was kept.
    declaration TEXT,
    hash        TEXT,
    version     TEXT,
    origin      TEXT,
    deployed_at INTEGER,
    source      TEXT,
    withdrawn   INTEGER,
    -- The declared names of its table, and of the one that took its place.
    table_name  TEXT NOT NULL,
    replaced_by TEXT NOT NULL,
    kept_at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
