import GNSS

/// The coordinates from a CSV file with the columns `lat` and `lon`, in degrees.
struct CoordinateTable {
  private(set) var coordinates: [Coordinate] = []

  init(_ path: String) throws(FileError) {
    var file = try InputFile(path, for: nil)
    var text: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    reading: while true {
      switch try file.read(into: &bytes, until: nil) {
      case .bytes(let count): text += bytes[..<count]
      case .silence: continue
      case .end: break reading
      }
    }
    guard let found = CoordinateTable(text: String(decoding: text, as: UTF8.self)) else {
      throw FileError("read", path, .noColumns)
    }
    self = found
  }

  /// Reads the coordinates from a CSV text. The result is nil if the column `lat` or `lon` is missing. Rows without a
  /// valid coordinate are ignored.
  init?(text: String) {
    var lines = text.split(whereSeparator: \.isNewline).makeIterator()
    let header = lines.next()?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    guard let latitude = header.firstIndex(of: "lat"), let longitude = header.firstIndex(of: "lon") else { return nil }
    while let line = lines.next() {
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      guard cells.count > max(latitude, longitude), let north = Double(cells[latitude]),
        let east = Double(cells[longitude]), let coordinate = Coordinate(latitude: north, longitude: east)
      else { continue }
      coordinates.append(coordinate)
    }
  }
}
