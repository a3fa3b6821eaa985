//! The bytes of an opened file, unpacked where it is compressed.

use std::fmt;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;

use flate2::read::MultiGzDecoder;

use super::before::Before;
use super::head::FileHead;
use super::identity::HEAD_BYTES;

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Packing {
    /// gzip, one member or several.
    Gzip,
    /// Zstandard, one frame or several.
    Zstd,
}

impl Packing {
    /// How a file is compressed that begins with `bytes`; `None` when it is not. JSON can begin
    /// with none of these bytes.
    fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        })
    }
}

/// The bytes of an opened file.
pub(super) enum Content {
    /// As they stand in the file, which may grow.
    Plain(File),
    /// Unpacked, in one go from the beginning.
    Packed(Packing, Unpacker),
}

/// Unpacks a file, in one go from the beginning.
pub(super) struct Unpacker {
    reader: Box<dyn Read + Send>,
    /// What is wrong behind the bytes that were read last.
    failed: Option<io::Error>,
}

impl Unpacker {
    /// The next bytes, at most `most` of them. What stands before damage is given before the
    /// damage is told.
    fn read(&mut self, most: u64, block: &mut Vec<u8>) -> io::Result<()> {
        if let Some(failed) = self.failed.take() {
            return Err(failed);
        }
        match (&mut self.reader).take(most).read_to_end(block) {
            Ok(_) => Ok(()),
            Err(error) if block.is_empty() => Err(error),
            Err(error) => {
                self.failed = Some(error);
                Ok(())
            }
        }
    }
}

impl Content {
    /// The content of `file`; what it begins with says whether it is compressed.
    pub(super) fn of(mut file: File) -> io::Result<Self> {
        file.rewind()?;
        let mut magic = [0; 4];
        let read = read_at(&file, &mut magic, 0)?;
        let packing = Packing::of(magic.get(..read).unwrap_or_default());
        match packing {
            None => Ok(Self::Plain(file)),
            Some(packing) => unpack(packing, file),
        }
    }

    pub(super) fn packing(&self) -> Option<Packing> {
        match self {
            Self::Plain(_) => None,
            Self::Packed(packing, _) => Some(*packing),
        }
    }

    /// What stands before `byte`: the beginning, and the last bytes; both shorter when the content
    /// is. Of compressed content only when nothing was read of it.
    pub(super) fn known(&mut self, byte: u64) -> io::Result<Known> {
        match self {
            Self::Plain(file) => Ok(Known {
                head: FileHead::read(file, byte)?,
                before: Before::read(byte, |buffer, at| read_at(file, buffer, at))?,
                length: file.metadata()?.len(),
            }),
            Self::Packed(_, unpacker) => Known::scan(&mut unpacker.reader, byte),
        }
    }

    /// As [`Self::known`]; what is read next begins at `byte`. Only of content that nothing was read
    /// of.
    pub(super) fn skip_to(&mut self, byte: u64) -> io::Result<Known> {
        let known = self.known(byte)?;
        if let Self::Plain(file) = self {
            file.seek(SeekFrom::Start(byte))?;
        }
        Ok(known)
    }

    /// The next bytes, at most `most` of them; none at the end.
    pub(super) fn read(&mut self, most: u64) -> io::Result<Vec<u8>> {
        // No larger than what is wanted: an event keeps its block alive.
        let mut block = Vec::with_capacity(usize::try_from(most).unwrap_or_default());
        match self {
            Self::Plain(file) => {
                file.take(most).read_to_end(&mut block)?;
            }
            Self::Packed(_, unpacker) => unpacker.read(most, &mut block)?,
        }
        Ok(block)
    }
}

fn unpack(packing: Packing, file: File) -> io::Result<Content> {
    let reader: Box<dyn Read + Send> = match packing {
        Packing::Gzip => Box::new(MultiGzDecoder::new(io::BufReader::new(file))),
        Packing::Zstd => Box::new(zstd::stream::read::Decoder::new(file)?),
    };
    let failed = None;
    Ok(Content::Packed(packing, Unpacker { reader, failed }))
}

/// What stands before a byte of a file.
pub(super) struct Known {
    pub(super) head: FileHead,
    pub(super) before: Before,
    /// How many bytes there are at least.
    pub(super) length: u64,
}

impl Known {
    /// Reads up to `byte`.
    fn scan(reader: &mut impl Read, byte: u64) -> io::Result<Self> {
        let mut known = Self {
            head: FileHead::empty(),
            before: Before::empty(),
            length: 0,
        };
        let mut block = vec![0; usize::from(HEAD_BYTES)];
        while known.length < byte {
            let rest = usize::try_from(byte - known.length).unwrap_or(block.len());
            let wanted = rest.min(block.len());
            let read = match reader.read(block.get_mut(..wanted).unwrap_or_default()) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let bytes = block.get(..read).unwrap_or_default();
            known.head.extend(bytes);
            known.before.extend(bytes);
            known.length += read as u64;
        }
        Ok(known)
    }
}

/// Fills `buffer` from byte `at` of `file` on; gives how much of it there was.
pub(super) fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    let mut filled = 0;
    loop {
        let rest = buffer.get_mut(filled..).unwrap_or_default();
        match file.read_at(rest, at + filled as u64) {
            Ok(0) => return Ok(filled),
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
