import Base
import GNSS
import LineProtocol

/// The encoding of the places (named circles) and of the answers to apps as bytes. Numbers are big-endian. The size of
/// each field in bytes is in parentheses. A text is its length (1) and UTF-8, and a list is the count of its elements
/// (2) and the elements.
///
/// - the version, 1 (1)
/// - the list of places: the name as a text; latitude, longitude and radius as IEEE 754 bits (8 each); the side of the
///   border on which the device is, 0 if unknown, otherwise the raw value of `Side` (1)
/// - the list of apps that may know names: the app as a text, and the list of the names as texts
/// - the index of the quarter hour of UTC in `slot`, the lowest integer for nil (8)
/// - the list of the present answers: the app and the answer as texts
/// - the age in quarter hours of the names for answers without a press of the button, -1 without such names (8), and
///   the list of these names
///
/// The encoding does not contain a new side that is not confirmed yet.
extension PlaceMonitor {
  private static let version: UInt8 = 1

  /// Returns the places and the answers to apps as bytes, without encryption.
  package func encoded() -> [UInt8] {
    var bytes = [Self.version]
    bytes.append(list: entries) { bytes, entry in
      bytes.append(text: entry.place.name)
      for number in [entry.place.centre.latitude, entry.place.centre.longitude, entry.place.radius] {
        bytes.appendBigEndian(number.bitPattern)
      }
      bytes.append(entry.border.side?.rawValue ?? 0)
    }
    bytes.append(list: known.sorted { $0.key < $1.key }) { bytes, app in
      bytes.append(text: app.key)
      bytes.append(list: app.value.sorted()) { $0.append(text: $1) }
    }
    bytes.appendBigEndian(slot ?? .min)
    bytes.append(list: answers.sorted { $0.key < $1.key }) { bytes, answer in
      bytes.append(text: answer.key)
      bytes.append(text: answer.value)
    }
    bytes.appendBigEndian(inForce?.age ?? -1)
    bytes.append(list: (inForce?.names ?? []).sorted()) { $0.append(text: $1) }
    return bytes
  }

  package init?(encoded bytes: [UInt8]) {
    var reader = BigEndianReader(bytes)
    self.init()
    guard reader.number() as UInt8? == Self.version, let entries = reader.list({ $0.place() }),
      let known = reader.list({ reader in reader.text().flatMap { app in reader.list { $0.text() }.map { (app, $0) } } }
      ),
      let slot: Int64 = reader.number(),
      let answers = reader.list({ reader in reader.text().flatMap { app in reader.text().map { (app, $0) } } }),
      let age: Int64 = reader.number(), age <= Self.validSlots, let names = reader.list({ $0.text() })
    else { return nil }
    for entry in entries { _ = add(entry) }
    for (app, names) in known where !names.isEmpty { allow(names, to: app) }
    self.slot = slot == .min ? nil : slot
    self.answers = Dictionary(answers) { $1 }
    inForce = age < 0 ? nil : (names: Set(names), age: age)
    // For example, a second place with the same name, a 33rd place, an unknown side or a further byte gives other bytes.
    guard encoded() == bytes else { return nil }
  }
}

extension [UInt8] {
  fileprivate mutating func append(text: String) {
    append(text.utf8, countedBy: UInt8.self)
  }

  fileprivate mutating func append<Value>(list: [Value], _ write: (inout [UInt8], Value) -> Void) {
    appendBigEndian(UInt16(list.count))
    for element in list { write(&self, element) }
  }
}

extension BigEndianReader {
  fileprivate mutating func text() -> String? { text(countedBy: UInt8.self) }

  fileprivate mutating func list<Element>(_ read: (inout BigEndianReader) -> Element?) -> [Element]? {
    guard let count: UInt16 = number() else { return nil }
    var elements: [Element] = []
    for _ in 0..<count {
      guard let element = read(&self) else { return nil }
      elements.append(element)
    }
    return elements
  }

  fileprivate mutating func place() -> PlaceMonitor.Entry? {
    guard let name = text(), let latitude = decimal(), let longitude = decimal(),
      let centre = Coordinate(latitude: latitude, longitude: longitude), let radius = decimal(),
      let side: UInt8 = number(), let place = try? NamedPlace(name: name, centre: centre, radius: radius)
    else { return nil }
    return PlaceMonitor.Entry(place, side: Side(rawValue: side))
  }
}
