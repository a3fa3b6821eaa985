//! Prints results as a Markdown table, which a person and a program can read.

/// A table that knows its widths when it is printed.
#[derive(Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these columns.
    #[must_use]
    pub fn new(columns: &[&str]) -> Self {
        let head = columns.iter().map(|column| (*column).to_owned()).collect();
        Self { rows: vec![head] }
    }

    /// Adds a row, one cell a column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().collect());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for (index, row) in self.rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                write!(f, "| {cell:<width$} ")?;
            }
            writeln!(f, "|")?;
            if index == 0 {
                for width in &widths {
                    write!(f, "| {:-<width$} ", "")?;
                }
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let mut table = Table::new(&["what", "ns"]);
        table.row(["a long name".to_owned(), "1".to_owned()]);
        let expected = "| what        | ns |\n| ----------- | -- |\n| a long name | 1  |\n";
        assert_eq!(table.to_string(), expected);
    }
}
