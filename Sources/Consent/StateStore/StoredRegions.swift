/// The regions of apps, each of which is sealed like a value, in a row of its own. So a change of one region writes
/// only this region.
extension StateStore {
  /// Returns the bytes of the regions, each with the number of the region, in the order of the numbers.
  ///
  /// - Throws: `StoreError`. Its kind is `sealBroken` if another program changed or restored a region, or another
  ///   device sealed it.
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

  /// Saves changed regions in one transaction. If the bytes are nil, the region is erased.
  ///
  /// - Parameter name: The name of a sealed value that the regions replace; nil if there is none.
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

  /// Erases all regions, and the sealed value with a name. A full disk does not prevent the erasure, because the store
  /// has reserved disk space (`Reserve`).
  package func eraseRegions(and name: String) throws(StoreError) {
    try performRevocation("erase the regions from") { (opened) throws(SQLiteFailure) in
      try opened.transaction { () throws(SQLiteFailure) in
        for case .region(let number) in opened.rows.codes.keys { try opened.removeRegion(number) }
        try opened.removeValue(name)
      }
    }
  }

  /// The text that is authenticated with a sealed region. The name of a sealed value contains no line break, so it
  /// differs from this text.
  private static func label(ofRegion number: Int64) -> String { "region\n\(number)" }
}
