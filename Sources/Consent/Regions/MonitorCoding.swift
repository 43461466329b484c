import Clocks
import Encoding
import GNSS
import LineProtocol

/// The encoding of a monitor. Numbers are big-endian. The size of each field in bytes is in parentheses.
///
/// - the version, 2 (1)
/// - the number of regions (2), then for each region:
///   - the name of the app and the id of the region, each as its length (1) and UTF-8
///   - latitude, longitude and radius as IEEE 754 bits (8 each)
///   - the events (1)
///   - the text, as its length (2) and UTF-8
///   - the side, 0 if unknown, otherwise the raw value of `Side` (1)
///   - the time of registration in seconds since 1970, 0 if unknown (8); version 1 does not have this field
///
/// The encoding does not contain a new side that is not confirmed yet.
extension RegionMonitor {
  private static let version: UInt8 = 2

  /// Returns the monitor as bytes, without encryption.
  package func encoded() -> [UInt8] {
    var bytes = [Self.version]
    bytes.appendBigEndian(UInt16(entries.count))
    for entry in entries {
      for name in [entry.app, entry.region.id] { bytes.append(name.utf8, countedBy: UInt8.self) }
      for number in [entry.region.centre.latitude, entry.region.centre.longitude, entry.region.radius] {
        bytes.appendBigEndian(number.bitPattern)
      }
      bytes.append(entry.region.events.rawValue)
      bytes.append(entry.region.text.utf8, countedBy: UInt16.self)
      bytes.append(entry.side?.rawValue ?? 0)
      bytes.appendBigEndian(entry.registered.map { $0.nanosecondsSince1970 / 1_000_000_000 } ?? 0)
    }
    return bytes
  }

  /// Parses an encoded monitor in version 1 or 2. Returns nil if the bytes are invalid.
  package init?(encoded bytes: [UInt8]) {
    var reader = BigEndianReader(bytes)
    self.init()
    guard let version: UInt8 = reader.number(), (1...Self.version).contains(version),
      let count: UInt16 = reader.number()
    else { return nil }
    for _ in 0..<count {
      guard let entry = reader.entry(version), !regions(of: entry.app).contains(where: { $0.id == entry.region.id }),
        add(entry.region, of: entry.app, at: entry.registered)
      else { return nil }
      entries[entries.count - 1].side = entry.side
    }
    guard reader.bytes.isEmpty else { return nil }
  }
}

extension BigEndianReader {
  /// Reads a time in seconds since 1970. Returns nil if the bytes are invalid, and `.some(nil)` for 0 (unknown).
  private mutating func time() -> UTCTime?? {
    guard let seconds: Int64 = number(), seconds >= 0, seconds < Int64.max / 1_000_000_000 else { return nil }
    return .some(seconds == 0 ? nil : UTCTime(nanosecondsSince1970: seconds * 1_000_000_000))
  }

  fileprivate mutating func entry(_ version: UInt8) -> RegionMonitor.Entry? {
    guard let app = text(countedBy: UInt8.self), (1...64).contains(app.utf8.count),
      let id = text(countedBy: UInt8.self), let latitude = decimal(), let longitude = decimal(),
      let centre = Coordinate(latitude: latitude, longitude: longitude), let radius = decimal(),
      let events: UInt8 = number(), let text = text(countedBy: UInt16.self), let side: UInt8 = number(),
      side == 0 || Side(rawValue: side) != nil, let registered = version > 1 ? time() : .some(nil),
      let region = try? Region(
        id: id, centre: centre, radius: radius, events: Region.Events(rawValue: events), text: text)
    else { return nil }
    return RegionMonitor.Entry(app: app, region: region, registered: registered, side: Side(rawValue: side))
  }
}
