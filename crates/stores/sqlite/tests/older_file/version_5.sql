-- A file as a build with version 5 of the tables left it. Nothing here follows later versions.
CREATE TABLE projectionist_schema (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
INSERT INTO projectionist_schema VALUES (1, 5);

CREATE TABLE projectionist_lanes (
    name TEXT NOT NULL, key TEXT NOT NULL, manifest TEXT, "offset" TEXT, epoch INTEGER NOT NULL,
    owner TEXT, expires_at INTEGER, owner_process TEXT, updated_at INTEGER,
    "read" INTEGER NOT NULL DEFAULT 0, applied INTEGER NOT NULL DEFAULT 0,
    unmatched INTEGER NOT NULL DEFAULT 0, filtered INTEGER NOT NULL DEFAULT 0,
    ignored INTEGER NOT NULL DEFAULT 0, stale INTEGER NOT NULL DEFAULT 0,
    skipped INTEGER NOT NULL DEFAULT 0, dead_lettered INTEGER NOT NULL DEFAULT 0,
    folded INTEGER NOT NULL DEFAULT 0, malformed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
INSERT INTO projectionist_lanes VALUES
    ('orders', 'all', 'conformance.v1', '17', 4, NULL, NULL, NULL, 1719331200123,
     29, 9, 1, 2, 3, 4, 5, 5, 6, 7),
    ('totals', 'slices 0-255', NULL, NULL, 1, 'web 1', 1719331210123, 'boot 4026531836 7 99', NULL,
     0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

CREATE TABLE projectionist_management (
    name TEXT NOT NULL, key TEXT NOT NULL, paused INTEGER NOT NULL, since INTEGER NOT NULL,
    PRIMARY KEY (name, key)
) STRICT, WITHOUT ROWID;
INSERT INTO projectionist_management VALUES
    ('orders', '', 1, 1719331200456), ('orders', 'all', 0, 1719331200789);

CREATE TABLE projectionist_dead_letters (
    id INTEGER PRIMARY KEY, projection TEXT NOT NULL, key TEXT NOT NULL, manifest TEXT NOT NULL,
    "offset" TEXT NOT NULL, class TEXT NOT NULL, error TEXT NOT NULL, field TEXT, value TEXT,
    event BLOB NOT NULL, attempts INTEGER NOT NULL, failed_at INTEGER NOT NULL,
    UNIQUE (projection, key, manifest, "offset")
) STRICT;
INSERT INTO projectionist_dead_letters VALUES
    (1, 'orders', 'all', 'conformance.v1', '9', 'data', 'tea does not fit', 'amount', 'tea',
     x'7b7d', 6, 1719331200321),
    (2, '', 'all', 'conformance.v1', '11', 'envelope', 'no JSON', NULL, NULL,
     x'ff', 1, 1719331200322);

CREATE TABLE projectionist_guard_scopes (
    id INTEGER PRIMARY KEY, projection TEXT NOT NULL, tenant TEXT NOT NULL, fork TEXT NOT NULL,
    UNIQUE (projection, tenant, fork)
) STRICT;
INSERT INTO projectionist_guard_scopes VALUES (1, 'orders', 'acme', '');
CREATE TABLE projectionist_guard (
    scope INTEGER NOT NULL, entity TEXT NOT NULL, sequence INTEGER NOT NULL,
    PRIMARY KEY (scope, entity)
) STRICT, WITHOUT ROWID;
INSERT INTO projectionist_guard VALUES (1, 'order-1', 12);

CREATE TABLE projectionist_columns (
    table_name TEXT NOT NULL, column_name TEXT NOT NULL, declared_type TEXT NOT NULL,
    PRIMARY KEY (table_name, column_name)
) STRICT, WITHOUT ROWID;
CREATE TABLE projectionist_tables (table_name TEXT PRIMARY KEY, projection TEXT NOT NULL)
    STRICT, WITHOUT ROWID;
INSERT INTO projectionist_columns VALUES
    ('counted', 'id', 'BIGINT'), ('counted', 'value', 'NUMERIC(12,2)');
INSERT INTO projectionist_tables VALUES ('counted', 'orders');
CREATE TABLE "counted" ("id" INTEGER NOT NULL, "value" TEXT, PRIMARY KEY ("id")) STRICT, WITHOUT ROWID;
INSERT INTO counted VALUES (1, '7.25');
