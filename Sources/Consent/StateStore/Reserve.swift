import Glibc

/// A file of zeros that reserves disk space for revocations of authorizations. If the disk is full, the store removes
/// the file to open the database or to save a revocation. Until the file is complete again, the gateway releases no
/// location.
///
/// The size of 1 MiB is sufficient for more than 60 revocations. A revocation changes at most four pages of the
/// database. A page has 1 KiB, or 4 KiB in an old and large database, and takes at most 4120 bytes in SQLite's
/// write-ahead log (WAL). The checkpoint of the WAL takes no more space, because a revocation replaces an existing
/// record. The erasure of a fix that waits for a broker, and the withdrawal of the name of a place, change a few more
/// pages. A file system with compression or copy-on-write may not keep the reservation.
struct Reserve {
  static let byteCount = 1 << 20

  let path: String

  /// Whether the disk has reserved blocks for all bytes of the file.
  var isComplete: Bool {
    var status = stat()
    // `st_blocks` counts blocks of 512 bytes on every file system.
    return unsafe lstat(path, &status) == 0 && Int(status.st_blocks) * 512 >= Reserve.byteCount
  }

  func allocate() throws(StoreError) {
    guard !isComplete else { return }
    do {
      let file = try FileDescriptor(
        "reserve space in", path, O_RDWR | O_CREAT, mode: 0o600, remedy: StoreError.permissionRemedy)
      try file.allocate(Reserve.byteCount, of: path)
    } catch {
      // An incomplete file only takes space.
      try? release()
      throw StoreError(
        error.kind, "reserve 1 MiB for revocations in", path, cause: error.cause, remedy: error.remedy)
    }
  }

  func release() throws(StoreError) { try removeFile(path) }
}

extension StateStore {
  /// Whether the disk space for revocations is reserved. If it is not, this property tries to reserve it.
  package var hasReserve: Bool { (try? reserve.allocate()) != nil }

  /// Writes a change to the database that takes a permission away. If the disk is full, the file that reserves disk
  /// space (`Reserve`) is removed, and the write is repeated.
  ///
  /// - Parameter operation: The operation for error messages, for example `save the lock in`.
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
      // The write-ahead log (WAL) may have used the space of the reserve. A checkpoint frees this space.
      try perform(operation) { (opened) throws(SQLiteFailure) in
        try opened.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try perform(operation, body)
    }
  }
}
