import Glibc

/// Room on the disk that nothing but a revocation may use: a file full of nothing beside the database. Where the disk is
/// full it is removed, and its blocks are there for the database; until it could be made again nothing is disclosed.
///
/// 1 MiB: a revocation changes at most four pages of 4 KiB, the one with the seal of all rights among them. Each takes 4120
/// bytes of the WAL, so that more than 60 revocations fit before the WAL has to be written back; written back they take no
/// more room, for all but the first record of an app stand where they stood. A fix that is withdrawn from the outbox
/// changes some more pages; of these the WAL holds fewer before it is written back. (A file system that compresses or copies on write may promise less.)
struct Reserve {
  /// Bytes.
  static let byteCount = 1 << 20

  let path: String

  /// Whether all of its blocks are there.
  var isThere: Bool {
    var status = stat()
    // `st_blocks` counts 512 bytes, whatever the file system's blocks are.
    return unsafe lstat(path, &status) == 0 && Int(status.st_blocks) * 512 >= Reserve.byteCount
  }

  /// Sets the room aside where it is not.
  func make() throws(StoreError) {
    guard !isThere else { return }
    do {
      let file = try FileDescriptor("set room aside in", path, O_RDWR | O_CREAT, mode: 0o600)
      try file.allocate(Reserve.byteCount, of: path)
    } catch {
      // Half of it helps nobody.
      try? release()
      throw StoreError(
        error.kind, "set 1 MiB aside for revocations in", path, cause: error.cause,
        remedy: "make room on its file system")
    }
  }

  func release() throws(StoreError) { try removeFile(path) }
}

extension StateStore {
  /// Writes what takes a right away: where there is no room, in what was set aside for it.
  func performRevocation(
    _ operation: String, _ body: (OpenedDatabase) throws(SQLiteFailure) -> Void
  ) throws(StoreError) {
    do {
      return try perform(operation, body)
    } catch  where error.kind == .full || error.kind == .failed {
      try reserve.release()
    }
    do {
      return try perform(operation, body)
    } catch  where error.kind == .full || error.kind == .failed {
      // The WAL may have used it up: what is in it has a place in the database.
      try perform(operation) { (opened) throws(SQLiteFailure) in
        try opened.database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try perform(operation, body)
    }
  }
}
