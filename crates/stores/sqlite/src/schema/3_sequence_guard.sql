-- Short numbers for the scopes, so that the guard's rows, one an entity, do not repeat their texts.
CREATE TABLE projectionist_guard_scopes (
    id         INTEGER PRIMARY KEY,
    projection TEXT NOT NULL,
    tenant     TEXT NOT NULL,
    fork       TEXT NOT NULL,
    UNIQUE (projection, tenant, fork)
) STRICT;

-- The last applied sequence number of every entity.
CREATE TABLE projectionist_guard (
    scope    INTEGER NOT NULL,
    entity   TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    PRIMARY KEY (scope, entity)
) STRICT, WITHOUT ROWID;
