-- What the owner of each lane said of itself last.
CREATE TABLE projectionist_owner_reports (
    name             TEXT NOT NULL,
    key              TEXT NOT NULL,
    -- Who said it, and the epoch of its claim.
    epoch            INTEGER NOT NULL,
    owner            TEXT NOT NULL,
    owner_process    TEXT,
    state            TEXT NOT NULL,
    reason           TEXT NOT NULL,
    -- Unix milliseconds, as all times here; what takes time is in milliseconds too.
    since            INTEGER NOT NULL,
    told_at          INTEGER NOT NULL,
    lag_events       INTEGER,
    lag              INTEGER,
    -- All three or none: the envelope that cannot be handled now.
    failing_manifest TEXT,
    failing_offset   TEXT,
    failing_attempts INTEGER,
    -- Text, class and since when: all three or none; the envelope's position where there is one.
    error            TEXT,
    error_class      TEXT,
    error_since      INTEGER,
    error_manifest   TEXT,
    error_offset     TEXT,
    restarts         INTEGER NOT NULL,
    -- Both or none: so many events were read within this time.
    pace_events      INTEGER,
    pace_within      INTEGER,
    PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
