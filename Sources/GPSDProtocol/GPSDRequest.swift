/// What a client of gpsd asks. (gpsd_json(5), gpsd 3.22)
public enum GPSDRequest: Hashable, Sendable {
  /// Who answers.
  case version
  /// Which receivers there are.
  case devices
  /// How the receiver is set.
  case device
  /// The last report.
  case poll
  /// What it wants to be told; nil where it asks what it is told.
  case watch(WatchWish?)
  /// Nothing that is known, by its name, or with an argument that is no JSON object.
  case unknown(String)

  /// More than so many in a line are not read: gpsd's own lines have 80 characters at most.
  public static let most = 16

  /// The requests of a line, without its line end. Each begins with a name, and may have a `?` before it, an argument
  /// behind a `=`, and a `;` at its end.
  public static func all(in line: some Collection<UInt8>) -> [GPSDRequest] {
    var reader = RequestReader(Array(line))
    var found: [GPSDRequest] = []
    while found.count < most, let request = reader.next() { found.append(request) }
    return found
  }
}

/// What `?WATCH=` says. What it does not say stays as it was.
public struct WatchWish: Hashable, Sendable {
  /// True unless it says otherwise.
  public var isEnabled = true
  /// Reports.
  public var json: Bool?
  /// Sentences, which are not offered.
  public var nmea: Bool?
  /// What the receiver says, which is not offered.
  public var raw: Bool?

  /// Watches, but for what is given.
  public init(isEnabled: Bool = true, json: Bool? = nil, nmea: Bool? = nil, raw: Bool? = nil) {
    self.isEnabled = isEnabled
    self.json = json
    self.nmea = nmea
    self.raw = raw
  }

  init(_ object: JSONValue) {
    isEnabled = object["enable"]?.bool ?? true
    json = object["json"]?.bool
    nmea = object["nmea"]?.bool
    raw = object["raw"]?.number.map { $0 > 0 }
  }
}

private struct RequestReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> GPSDRequest? {
    skip { [0x20, 0x09, 0x0D, UInt8(ascii: ";"), UInt8(ascii: "?")].contains($0) }
    guard position < bytes.count else { return nil }
    let name = take { $0 != UInt8(ascii: "=") && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "?") && $0 > 0x20 }
    let title = String(decoding: name.prefix(32), as: UTF8.self)
    guard position < bytes.count, bytes[position] == UInt8(ascii: "=") else {
      // It stands where no name may: one byte is passed over, so that there is an end.
      if name.isEmpty { position += 1 }
      return request(title, nil)
    }
    position += 1
    guard let object = JSONValue(argument()), case .object = object else { return .unknown(title) }
    return request(title, object)
  }

  private func request(_ name: String, _ argument: JSONValue?) -> GPSDRequest {
    switch name {
    case "VERSION": .version
    case "DEVICES": .devices
    case "DEVICE": .device
    case "POLL": .poll
    case "WATCH": .watch(argument.map(WatchWish.init))
    default: .unknown(name)
    }
  }

  /// What stands from here to the end of the object, or to the next `;` where there is none.
  private mutating func argument() -> ArraySlice<UInt8> {
    let start = position
    var depth = 0
    var isInString = false
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if isInString {
        if byte == UInt8(ascii: "\\") { position = min(position + 1, bytes.count) }
        if byte == UInt8(ascii: "\"") { isInString = false }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"):
        depth -= 1
        if depth <= 0 { return bytes[start..<position] }
      case UInt8(ascii: ";") where depth == 0: return bytes[start..<position - 1]
      default: break
      }
    }
    return bytes[start..<position]
  }

  private mutating func skip(_ isMeant: (UInt8) -> Bool) {
    while position < bytes.count, isMeant(bytes[position]) { position += 1 }
  }

  private mutating func take(_ isMeant: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let start = position
    skip(isMeant)
    return bytes[start..<position]
  }
}
