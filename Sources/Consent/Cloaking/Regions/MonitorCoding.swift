import Base
import GNSS
import LineProtocol

/// The encoding of a region as bytes. Numbers are big-endian. The size of each field in bytes is in parentheses.
///
/// - the version, 2 (1)
/// - the name of the app and the identifier of the region, each as its length (1) and UTF-8
/// - latitude, longitude and radius as IEEE 754 bits (8 each)
/// - the events (1)
/// - the text, as its length (2) and UTF-8
/// - the side of the border on which the device is, 0 if unknown, otherwise the raw value of `Side` (1)
/// - the time of registration in seconds since 1970, 0 if unknown (8); version 1 does not have this field
///
/// A new side that is not confirmed yet is not encoded.
///
/// In earlier formats of the state store, one encrypted value contained all regions: the version, the count of regions
/// (2), and the regions without their version.
extension RegionMonitor {
  fileprivate static let version: UInt8 = 2

  /// The regions that were added, changed or removed since the previous save. The key is `Entry.number`. The value is
  /// the encoded region without encryption, or nil for a removed region.
  package var unsavedRegions: [Int64: [UInt8]?] { rows(of: unsaved) }

  /// All regions, and the regions that were removed since the previous save, in the form of `unsavedRegions`.
  package var allRegions: [Int64: [UInt8]?] { rows(of: unsaved.union(entries.map(\.number))) }

  private func rows(of numbers: Set<Int64>) -> [Int64: [UInt8]?] {
    var regions = Dictionary(uniqueKeysWithValues: numbers.map { ($0, [UInt8]?.none) })
    for entry in entries where numbers.contains(entry.number) {
      regions.updateValue(entry.encoded(), forKey: entry.number)
    }
    return regions
  }

  package init?(saved: [(number: Int64, bytes: [UInt8])]) {
    var entries: [Entry] = []
    for (number, bytes) in saved {
      var reader = BigEndianReader(bytes)
      guard let version: UInt8 = reader.number(), version == Self.version,
        let entry = reader.entry(version, number: number), reader.bytes.isEmpty
      else { return nil }
      entries.append(entry)
    }
    self.init(entries, isSaved: true)
  }

  /// Decodes the regions from an earlier format of the state store, version 1 or 2. Returns nil if the bytes are
  /// invalid.
  package init?(encoded bytes: [UInt8]) {
    var reader = BigEndianReader(bytes)
    guard let version: UInt8 = reader.number(), (1...Self.version).contains(version),
      let count: UInt16 = reader.number()
    else { return nil }
    var entries: [Entry] = []
    for number in 0..<count {
      guard let entry = reader.entry(version, number: Int64(number) + 1) else { return nil }
      entries.append(entry)
    }
    guard reader.bytes.isEmpty else { return nil }
    self.init(entries, isSaved: false)
  }
}

extension RegionMonitor.Entry {
  func encoded() -> [UInt8] {
    var bytes = [RegionMonitor.version]
    for name in [app, region.id] { bytes.append(name.utf8, countedBy: UInt8.self) }
    for number in [region.centre.latitude, region.centre.longitude, region.radius] {
      bytes.appendBigEndian(number.bitPattern)
    }
    bytes.append(region.events.rawValue)
    bytes.append(region.text.utf8, countedBy: UInt16.self)
    bytes.append(side?.rawValue ?? 0)
    bytes.appendBigEndian(registered.map { $0.nanosecondsSince1970 / 1_000_000_000 } ?? 0)
    return bytes
  }
}

extension BigEndianReader {
  /// Reads a time in seconds since 1970. Returns nil if the bytes are invalid. The inner optional is nil for the value
  /// 0, an unknown time.
  private mutating func time() -> UTCTime?? {
    guard let seconds: Int64 = number(), (0...Int64.max / 1_000_000_000).contains(seconds) else { return nil }
    return .some(seconds == 0 ? nil : UTCTime(nanosecondsSince1970: seconds * 1_000_000_000))
  }

  fileprivate mutating func entry(_ version: UInt8, number row: Int64) -> RegionMonitor.Entry? {
    guard let app = text(countedBy: UInt8.self), (1...64).contains(app.utf8.count),
      let id = text(countedBy: UInt8.self), let latitude = decimal(), let longitude = decimal(),
      let centre = Coordinate(latitude: latitude, longitude: longitude), let radius = decimal(),
      let events: UInt8 = number(), let text = text(countedBy: UInt16.self), let side: UInt8 = number(),
      side == 0 || Side(rawValue: side) != nil, let registered = version > 1 ? time() : .some(nil),
      let region = try? Region(
        id: id, centre: centre, radius: radius, events: Region.Events(rawValue: events), text: text)
    else { return nil }
    return RegionMonitor.Entry(
      number: row, app: app, region: region, registered: registered, side: Side(rawValue: side))
  }
}
