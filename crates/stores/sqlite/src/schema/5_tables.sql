-- Which projection writes each table of the read models. A table has one writer.
CREATE TABLE projectionist_tables (
    table_name TEXT PRIMARY KEY,
    projection TEXT NOT NULL
) STRICT, WITHOUT ROWID;
