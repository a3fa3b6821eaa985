-- What management moved, what is settled out of order, what is parked, and what people ask for.

-- What is settled above the offset, in the text form of the ranges; none where that is nothing.
ALTER TABLE projectionist_lanes ADD COLUMN ahead TEXT;
-- Both or none: how far the lane had come before management moved it back.
ALTER TABLE projectionist_lanes ADD COLUMN replay_manifest TEXT;
ALTER TABLE projectionist_lanes ADD COLUMN replay_offset TEXT;
ALTER TABLE projectionist_lanes ADD COLUMN parked_total INTEGER NOT NULL DEFAULT 0;
ALTER TABLE projectionist_lanes ADD COLUMN unparked_total INTEGER NOT NULL DEFAULT 0;

-- Envelopes that wait because one of their key could not be handled. The id gives the order in
-- which they were parked first.
CREATE TABLE projectionist_parked (
    id         INTEGER PRIMARY KEY,
    name       TEXT NOT NULL,
    key        TEXT NOT NULL,
    -- What the envelopes share that must stay in order.
    parked_key TEXT NOT NULL,
    manifest   TEXT NOT NULL,
    "offset"   TEXT NOT NULL,
    event      BLOB NOT NULL,
    attempts   INTEGER NOT NULL,
    error      TEXT,
    -- Unix milliseconds.
    parked_at  INTEGER NOT NULL,
    tried_at   INTEGER,
    UNIQUE (name, key, manifest, "offset")
) STRICT;
CREATE INDEX projectionist_parked_keys ON projectionist_parked (name, key, parked_key);

-- Commands to the owner of a lane, and what became of them. No id is ever given twice.
CREATE TABLE projectionist_requests (
    id           INTEGER PRIMARY KEY AUTOINCREMENT,
    name         TEXT NOT NULL,
    key          TEXT NOT NULL,
    command      TEXT NOT NULL,
    -- Unix milliseconds. A request without an answer is open.
    requested_at INTEGER NOT NULL,
    answered_at  INTEGER,
    -- Why it was refused; none when it was done.
    refusal      TEXT
) STRICT;
-- Every owner looks for open requests about twice a second.
CREATE INDEX projectionist_open_requests ON projectionist_requests (name, key)
    WHERE answered_at IS NULL;
