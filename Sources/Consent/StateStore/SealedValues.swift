internal import Base

/// Functions for values that only this device can read. To *seal* a value means to encrypt and authenticate it with a
/// key that is derived from the device key (ChaCha20-Poly1305, RFC 8439). The name of the value is authenticated too,
/// so that another program cannot exchange two values.
extension StateStore {
  /// Seals (encrypts and authenticates) a value and saves it under a name, in place of the previous value with this
  /// name.
  ///
  /// - Parameter isRevocation: Whether the new value permits nothing that the previous value did not permit. If the
  ///   disk is full, such a value uses the reserved disk space (`Reserve`).
  package func seal(_ bytes: [UInt8], as name: String, isRevocation: Bool = false) throws(StoreError) {
    let sealed = sealedBytes(bytes, as: name)
    let operation = "seal '\(name)' in"
    let body = { (opened: StateDatabase) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in try opened.save(sealed, as: name) }
    }
    if isRevocation { try performRevocation(operation, body) } else { try perform(operation, body) }
  }

  /// Decrypts and returns the value with a name; nil if the store has no such value.
  ///
  /// - Throws: `StoreError`. Its kind is `sealBroken` if another program changed or restored the value, or another
  ///   device encrypted it.
  package func unseal(_ name: String) throws(StoreError) -> [UInt8]? {
    let operation = "unseal '\(name)' in"
    guard !unsettledFaults.concern(.value(name: name)) else { throw Self.changed(operation, files.database) }
    let rows = try perform(operation) { (opened) throws(SQLiteFailure) in
      try opened.selectValue.rows(.text(name)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.blob(0) }
    }
    return try rows.first.map { sealed throws(StoreError) in try openedBytes(sealed, as: name, operation) }
  }

  /// The names of all saved encrypted values, sorted.
  package var sealedNames: [String] {
    get throws(StoreError) {
      try perform("read the names of sealed values in") { (opened) throws(SQLiteFailure) in
        opened.rows.codes.keys.compactMap { row in if case .value(let name) = row { name } else { nil } }.sorted()
      }
    }
  }

  static func changed(_ operation: String, _ path: String) -> StoreError {
    StoreError(
      .sealBroken, operation, path, cause: "it was changed or replaced, or sealed with another device key",
      remedy: "restore the device key, the state and its anchor from a backup")
  }

  func openedBytes(_ sealed: [UInt8], as name: String, _ operation: String) throws(StoreError) -> [UInt8] {
    guard let bytes = ChaChaPoly.open(sealed, with: blobKey, context: [UInt8](name.utf8)) else {
      throw StoreError(
        .sealBroken, operation, files.database, cause: "it was changed, or sealed with another device key",
        remedy: "restore the device key, or the database, from a backup")
    }
    return bytes
  }

  /// Erases the encrypted value with a name. SQLite overwrites the bytes of this value. A full disk does not prevent
  /// the erasure, because the store has reserved disk space (`Reserve`).
  package func erase(_ name: String) throws(StoreError) {
    try performRevocation("erase '\(name)' from") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in try opened.removeValue(name) }
    }
  }

  func sealedBytes(_ bytes: [UInt8], as name: String) -> [UInt8] {
    ChaChaPoly.seal(bytes, with: blobKey, context: [UInt8](name.utf8))
  }
}
