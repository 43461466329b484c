internal import Crypto

/// Values that only this device can read. Each value is sealed with a key derived from the device key
/// (ChaCha20-Poly1305, RFC 8439). Its name is authenticated, so that a value cannot be moved to another name.
extension StateStore {
  /// Saves a value under a name. It replaces the previous value.
  package func seal(_ bytes: [UInt8], as name: String) throws(StoreError) {
    let sealed = try sealedBytes(bytes, as: name)
    try perform("seal '\(name)' in") { (opened) throws(SQLiteFailure) in
      try opened.upsertBlob.run(.text(name), .blob(sealed))
    }
  }

  /// Returns the value under a name; nil if there is none.
  ///
  /// - Throws: `StoreError`. Its kind is `sealBroken` if the value was changed, or sealed by another device.
  package func unseal(_ name: String) throws(StoreError) -> [UInt8]? {
    let operation = "unseal '\(name)' in"
    let rows = try perform(operation) { (opened) throws(SQLiteFailure) in
      try opened.selectBlob.rows(.text(name)) { (row: borrowing SQLiteRow) throws(SQLiteFailure) in row.blob(0) }
    }
    return try rows.first.map { sealed throws(StoreError) in try openedBytes(sealed, as: name, operation) }
  }

  func openedBytes(_ sealed: [UInt8], as name: String, _ operation: String) throws(StoreError) -> [UInt8] {
    do {
      let box = try ChaChaPoly.SealedBox(combined: sealed)
      return [UInt8](try ChaChaPoly.open(box, using: blobKey, authenticating: [UInt8](name.utf8)))
    } catch {
      throw StoreError(
        .sealBroken, operation, files.database, cause: "it was changed, or sealed with another device key",
        remedy: "restore the device key, or the database, from a backup")
    }
  }

  /// Erases the value under a name, including its bytes in the database. Erasing gives no right, so it uses the reserve
  /// when the disk is full.
  package func erase(_ name: String) throws(StoreError) {
    try performRevocation("erase '\(name)' from") { (opened) throws(SQLiteFailure) in
      try opened.removeBlob.run(.text(name))
    }
  }

  func sealedBytes(_ bytes: [UInt8], as name: String) throws(StoreError) -> [UInt8] {
    do {
      return [UInt8](try ChaChaPoly.seal(bytes, using: blobKey, authenticating: [UInt8](name.utf8)).combined)
    } catch {
      throw StoreError(.failed, "seal '\(name)' in", files.database, cause: "\(error)")
    }
  }
}
