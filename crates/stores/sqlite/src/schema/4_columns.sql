-- The declared types of the read models' columns: SQLite keeps several of them in the same way.
CREATE TABLE projectionist_columns (
    table_name    TEXT NOT NULL,
    column_name   TEXT NOT NULL,
    declared_type TEXT NOT NULL,
    PRIMARY KEY (table_name, column_name)
) STRICT, WITHOUT ROWID;
