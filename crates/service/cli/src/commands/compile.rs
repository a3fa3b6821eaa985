//! Compiles a file into an IR.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::exit::Failure;
use crate::output::{print, tell};

#[derive(Debug, Args)]
pub(crate) struct CompileArguments {
    /// The file that declares the projections, in YAML or JSON, or compiled already
    file: PathBuf,
    /// Where the compiled file goes; `-` is standard output
    #[arg(short, long, value_name = "OUT", default_value = "-")]
    output: PathBuf,
}

pub(crate) fn execute(arguments: &CompileArguments) -> Result<(), Failure> {
    let program = super::load(&arguments.file)?;
    let text = projectionist_language::compile(&program);
    if arguments.output == Path::new("-") {
        return print(text);
    }
    write(&arguments.output, &text)?;
    let (projections, hash) = (
        program.projections.len(),
        projectionist_language::program_hash(&program),
    );
    tell(format_args!(
        "{}: {projections} projection(s), {hash}",
        arguments.output.display()
    ));
    Ok(())
}

/// Writes the file whole or not at all: whoever reads it meanwhile gets the one before.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let cannot = |error: std::io::Error| {
        Failure::at_run_time(format!("cannot write {}: {error}", path.display()))
    };
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        // A pipe or a device is written as it is.
        return std::fs::write(path, text).map_err(cannot);
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    let beside = PathBuf::from(name);
    let written = std::fs::File::create(&beside)
        .and_then(|mut file| {
            file.write_all(text.as_bytes())
                .and_then(|()| file.sync_all())
        })
        .and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|error| {
        // What is left of the attempt is of no use to anybody; it may not even be there.
        let _ = std::fs::remove_file(&beside);
        cannot(error)
    })
}
