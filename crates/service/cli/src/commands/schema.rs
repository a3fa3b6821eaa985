//! Prints the JSON Schema of the file.

use projectionist_language::json_schema;

use crate::exit::Failure;
use crate::output::print;

pub(crate) fn execute() -> Result<(), Failure> {
    print(json_schema())
}
