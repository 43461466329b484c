import Glibc

/// A file of zeros beside the database, which reserves disk space for revocations of rights. When the disk is full and
/// a revocation must be saved, the store removes the file, so that the database can use its space. Until the file is
/// complete again, the gateway discloses nothing.
///
/// The size of 1 MiB is sufficient. SQLite first writes changed pages to its write-ahead log (WAL), where a page of 4
/// KiB takes 4120 bytes. A revocation changes at most four pages, so the reserve has space for more than 60 revocations
/// before SQLite writes the WAL back into the database. This write takes no more space, because a revocation replaces
/// an existing record. The erasure of a fix that waits for a broker changes a few more pages, so the reserve has space
/// for fewer erasures. A file system with compression or copy-on-write may not keep the reservation.
struct Reserve {
  /// The size of the file, in bytes.
  static let byteCount = 1 << 20

  let path: String

  /// Whether the disk has already reserved enough blocks for all bytes of the file.
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
      // The function removes an incomplete file, because the file only takes space and serves no purpose.
      try? release()
      throw StoreError(
        error.kind, "reserve 1 MiB for revocations in", path, cause: error.cause,
        remedy: "free space on its file system")
    }
  }

  /// Removes the file, so that the database can use its space.
  func release() throws(StoreError) { try removeFile(path) }
}

extension StateStore {
  /// Runs a write that revokes a right. If the disk is full, the function removes the reserve file, which frees disk
  /// space, and runs the write again.
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
      // The write-ahead log (WAL) may have used the space of the reserve. A checkpoint writes the WAL back into the
      // database and frees this space.
      try perform(operation) { (opened) throws(SQLiteFailure) in
        try opened.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try perform(operation, body)
    }
  }
}
