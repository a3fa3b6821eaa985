-- Who may move each lane, how far it is, and what was counted.
CREATE TABLE projectionist_lanes (
    name          TEXT NOT NULL,
    key           TEXT NOT NULL,
    -- Both or none: the stored position and the name of its format.
    manifest      TEXT,
    "offset"      TEXT,
    -- The fencing number of the last claim that was granted.
    epoch         INTEGER NOT NULL,
    -- Both or none: who holds the lane, and until when (Unix milliseconds).
    owner         TEXT,
    expires_at    INTEGER,
    -- The owner's process where it is known: boot, namespace, process id, start.
    owner_process TEXT,
    -- When offset or counters last moved (Unix milliseconds).
    updated_at    INTEGER,
    "read"        INTEGER NOT NULL DEFAULT 0,
    applied       INTEGER NOT NULL DEFAULT 0,
    unmatched     INTEGER NOT NULL DEFAULT 0,
    filtered      INTEGER NOT NULL DEFAULT 0,
    ignored       INTEGER NOT NULL DEFAULT 0,
    stale         INTEGER NOT NULL DEFAULT 0,
    skipped       INTEGER NOT NULL DEFAULT 0,
    dead_lettered INTEGER NOT NULL DEFAULT 0,
    folded        INTEGER NOT NULL DEFAULT 0,
    malformed     INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;

-- What people ask of a projection. An empty key stands for all lanes of the name.
CREATE TABLE projectionist_management (
    name   TEXT NOT NULL,
    key    TEXT NOT NULL,
    paused INTEGER NOT NULL,
    -- Since when the flag is what it is (Unix milliseconds).
    since  INTEGER NOT NULL,
    PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
