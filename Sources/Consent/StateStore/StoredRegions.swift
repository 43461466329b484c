/// Functions for regions: circles on the ground whose entry and exit the gateway reports to apps. Each region is
/// encrypted in a database row of its own, so that a change of one region writes only one row.
extension StateStore {
  /// Decrypts and returns all regions (circles on the ground), each with its identifier, sorted by identifier.
  ///
  /// - Throws: `StoreError`. Its kind is `sealBroken` if another program changed or restored a region, or another
  ///   device encrypted it.
  package func regions() throws(StoreError) -> [(number: Int64, bytes: [UInt8])] {
    let operation = "unseal the regions in"
    let rows = try perform(operation) { (opened) throws(SQLiteFailure) in
      try opened.selectRegions.rows { (row: borrowing SQLiteRow) throws(SQLiteFailure) in
        (number: row.integer(0), sealed: row.blob(1))
      }
    }
    guard !unsettledFaults.concernAll, !rows.contains(where: { unsettledFaults.concern(.region($0.number)) }) else {
      throw Self.changed(operation, files.database)
    }
    var regions: [(number: Int64, bytes: [UInt8])] = []
    for (number, sealed) in rows {
      regions.append((number, try openedBytes(sealed, as: Self.label(ofRegion: number), operation)))
    }
    return regions
  }

  /// Encrypts and saves changed regions (circles on the ground) in one transaction.
  ///
  /// - Parameters:
  ///   - regions: The new bytes of each changed region, by identifier; nil to remove the region.
  ///   - name: The name of an encrypted value to remove in the same transaction; nil for none.
  package func save(regions: [Int64: [UInt8]?], replacing name: String? = nil) throws(StoreError) {
    var sealed: [Int64: [UInt8]?] = [:]
    for (number, bytes) in regions {
      sealed.updateValue(bytes.map { sealedBytes($0, as: Self.label(ofRegion: number)) }, forKey: number)
    }
    try perform("save regions in") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        for (number, sealed) in sealed {
          if let sealed { try opened.save(sealed, asRegion: number) } else { try opened.removeRegion(number) }
        }
        if let name { try opened.removeValue(name) }
      }
    }
  }

  /// Erases all regions (circles on the ground), and the encrypted value with a name. A full disk does not prevent the
  /// erasure, because the store has reserved disk space (`Reserve`).
  package func eraseRegions(and name: String) throws(StoreError) {
    try performRevocation("erase the regions from") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        for case .region(let number) in opened.rows.codes.keys { try opened.removeRegion(number) }
        try opened.removeValue(name)
      }
    }
  }

  /// Returns the additional authenticated data for the encryption of a region. The line break distinguishes the region
  /// from every other encrypted value.
  private static func label(ofRegion number: Int64) -> String { "region\n\(number)" }
}
