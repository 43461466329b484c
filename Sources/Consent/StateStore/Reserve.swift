import Glibc

/// A file of zeros beside the database, which reserves disk space for revocations. When the disk is full, the file is
/// removed and the database can use its blocks. Until the file is complete again, nothing is disclosed.
///
/// The size of 1 MiB is sufficient: a revocation changes at most four pages of 4 KiB, including the page with the seal
/// of all rights. Each page takes 4120 bytes of the WAL. So more than 60 revocations fit before the WAL is written
/// back. Writing back takes no more space, because all but the first record of an app replace an existing record.
/// Erasing a fix from the outbox changes a few more pages, so fewer of these fit. (A file system with compression or
/// copy-on-write may not keep the reservation.)
struct Reserve {
  /// The size of the file, in bytes.
  static let byteCount = 1 << 20

  let path: String

  /// Whether all blocks of the file are allocated.
  var isComplete: Bool {
    var status = stat()
    // `st_blocks` counts blocks of 512 bytes on every file system.
    return unsafe lstat(path, &status) == 0 && Int(status.st_blocks) * 512 >= Reserve.byteCount
  }

  /// Creates the file if it is missing or incomplete.
  func allocate() throws(StoreError) {
    guard !isComplete else { return }
    do {
      let file = try FileDescriptor("reserve space in", path, O_RDWR | O_CREAT, mode: 0o600)
      try file.allocate(Reserve.byteCount, of: path)
    } catch {
      // An incomplete reserve is of no use.
      try? release()
      throw StoreError(
        error.kind, "reserve 1 MiB for revocations in", path, cause: error.cause,
        remedy: "free space on its file system")
    }
  }

  /// Removes the file, so that the database can use its blocks.
  func release() throws(StoreError) { try removeFile(path) }
}

extension StateStore {
  /// Runs a write that takes a right away. If the disk is full, the write uses the reserve.
  func performRevocation(
    _ operation: String, _ body: (StateDatabase) throws(SQLiteFailure) -> Void
  ) throws(StoreError) {
    do {
      return try perform(operation, body)
    } catch  where error.kind == .full || error.kind == .failed {
      try reserve.release()
    }
    do {
      return try perform(operation, body)
    } catch  where error.kind == .full || error.kind == .failed {
      // The WAL may have used the reserve. Writing it back frees its space.
      try perform(operation) { (opened) throws(SQLiteFailure) in
        try opened.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try perform(operation, body)
    }
  }
}
