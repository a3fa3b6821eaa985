//! The scenarios under the system's allocator: what their speed is quoted from.

fn main() -> std::process::ExitCode {
    datum_bars::main(None)
}
