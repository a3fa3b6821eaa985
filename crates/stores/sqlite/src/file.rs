//! The open files of this process: one queue of writers for each, however often it is opened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use projectionist_core::Result;
use rusqlite::Connection;
use tokio::sync::OwnedMutexGuard;

use crate::connection::{open_reader, open_writer, unusable};
use crate::error::store_error;
use crate::store::SqliteOptions;
use crate::writer::Writer;

static OPEN_FILES: Mutex<Vec<Weak<OpenFile>>> = Mutex::new(Vec::new());

/// A file with its connections.
///
/// Writers take turns in the order in which they asked. Reading has a connection of its own and
/// waits for no transaction.
#[derive(Debug)]
pub(crate) struct OpenFile {
    path: PathBuf,
    identity: Option<FileIdentity>,
    options: SqliteOptions,
    writer: Arc<tokio::sync::Mutex<Writer>>,
    reader: Mutex<Connection>,
}

impl OpenFile {
    /// The file at `path`; the one that is open already, where that is so.
    pub(crate) fn shared(
        path: &Path,
        options: &SqliteOptions,
        must_exist: bool,
    ) -> Result<Arc<Self>> {
        let path = resolve(path)?;
        // Held while the file is opened: two who open it at once must get the same one.
        let mut files = OPEN_FILES.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file| file.strong_count() > 0);
        let identity = identity_of(&path);
        let open = files
            .iter()
            .filter_map(Weak::upgrade)
            .find(|file| file.path == path && file.identity == identity);
        if let Some(open) = open {
            if open.options != *options {
                return Err(unusable(
                    &path,
                    "this process has it open with other options: use the same ones everywhere",
                ));
            }
            return Ok(open);
        }
        let file = Arc::new(Self::open(path, options, must_exist)?);
        files.push(Arc::downgrade(&file));
        Ok(file)
    }

    /// The file at `path` with connections that nobody else uses.
    pub(crate) fn apart(path: &Path, options: &SqliteOptions) -> Result<Arc<Self>> {
        Self::open(resolve(path)?, options, false).map(Arc::new)
    }

    fn open(path: PathBuf, options: &SqliteOptions, must_exist: bool) -> Result<Self> {
        let connection = open_writer(&path, options, must_exist)?;
        let writer = Writer::new(connection)
            .map_err(|error| store_error(format!("open {}", path.display()), error))?;
        Ok(Self {
            identity: identity_of(&path),
            reader: Mutex::new(open_reader(&path, options)?),
            writer: Arc::new(tokio::sync::Mutex::new(writer)),
            options: options.clone(),
            path,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A connection that only reads and that nobody else waits for: for long reading.
    pub(crate) fn fresh_reader(&self) -> Result<Connection> {
        open_reader(&self.path, &self.options)
    }

    /// Waits for the turn to write.
    pub(crate) async fn writer(&self) -> OwnedMutexGuard<Writer> {
        // To stand in the queue costs more than to see that nobody else does.
        match Arc::clone(&self.writer).try_lock_owned() {
            Ok(writer) => writer,
            Err(_) => Arc::clone(&self.writer).lock_owned().await,
        }
    }

    /// Reads what is committed.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Connection) -> T) -> T {
        read(&self.reader.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The file itself, whatever its path: device and number.
type FileIdentity = (u64, u64);

#[cfg(unix)]
fn identity_of(path: &Path) -> Option<FileIdentity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.dev(), metadata.ino()))
}

/// Elsewhere the path alone tells files apart.
#[cfg(not(unix))]
fn identity_of(_: &Path) -> Option<FileIdentity> {
    None
}

/// The one spelling of a path, also of a file that is not there yet.
fn resolve(path: &Path) -> Result<PathBuf> {
    let text = path.to_string_lossy();
    if text.is_empty() || text.contains(":memory:") || text.starts_with("file:") {
        return Err(unusable(
            path,
            "progress and read models must outlive the process: name a file by its plain path",
        ));
    }
    if let Ok(found) = path.canonicalize() {
        return Ok(found);
    }
    let Some(name) = path.file_name() else {
        return Err(unusable(path, "it names no file"));
    };
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    match folder.canonicalize() {
        Ok(folder) => Ok(folder.join(name)),
        Err(error) => Err(unusable(
            path,
            &format!("its folder cannot be used ({error}): make the folder first"),
        )),
    }
}
