import Base
public import GNSS

/// A circle on the ground that an app registers at the gateway. The app receives a message when the device enters or
/// leaves the circle.
public struct Region: Hashable, Sendable {
  /// A set of events for which the app receives a message: the entry, the exit or both.
  public struct Events: OptionSet, Hashable, Sendable {
    /// The bits: 1 for entry, 2 for exit.
    public let rawValue: UInt8

    /// Creates a set of events from its bits: 1 for entry, 2 for exit.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device enters the region (the circle on the ground).
    public static let enter = Events(rawValue: 1)
    /// The device leaves the region (the circle on the ground).
    public static let exit = Events(rawValue: 2)
  }

  /// The permitted radii in metres. The messages of a smaller circle would reveal the position too exactly.
  public static let radii: ClosedRange<Double> = 100...100_000

  /// The id of the region (a circle on the ground), which the app chose: 1...32 letters, digits, `.`, `-` and `_`.
  public let id: String
  /// The centre of the region (a circle on the ground).
  public let centre: Coordinate
  /// The radius on the ground in metres, within `radii`.
  public let radius: Double
  /// The events for which the app receives a message, at least one.
  public let events: Events
  /// The text that the gateway shows to the user, at most 80 columns wide.
  public let text: String

  /// Creates a region (a circle on the ground).
  /// - Throws: `LineError` with the code 405 and a message about the first invalid value.
  public init(id: String, centre: Coordinate, radius: Double, events: Events, text: String) throws(LineError) {
    guard Words.isToken(id) else {
      throw LineError(.badArgument, "a region's id must have 1 to 32 letters, digits, dots, dashes or underscores")
    }
    self.radius = try Self.checked(radius, "a region's radius")
    guard !events.isEmpty, events.isSubset(of: [.enter, .exit]) else {
      throw LineError(.badArgument, "a region's events must be enter, exit or enter,exit")
    }
    self.id = id
    self.centre = centre
    self.events = events
    self.text = try Purpose.checked(text, "a region's text")
  }

  /// Returns the radius in metres if the radius is within `radii`.
  /// - Parameter name: The name of the radius in the error message.
  /// - Throws: `LineError` with the code 405.
  static func checked(_ radius: Double, _ name: String) throws(LineError) -> Double {
    guard radii.contains(radius) else {
      throw LineError(.badArgument, "\(name) must be \(Int(radii.lowerBound)) to \(Int(radii.upperBound)) metres")
    }
    return radius
  }
}

extension Region.Events {
  /// The events as text in the line protocol: `enter`, `exit` or `enter,exit`.
  public var text: String {
    [(Region.Events.enter, "enter"), (.exit, "exit")].filter { contains($0.0) }.map(\.1).joined(separator: ",")
  }
}

/// A command of an app about its regions (circles on the ground).
public enum RegionCommand: Hashable, Sendable {
  /// Adds a region (a circle on the ground), or replaces the region with the same id.
  case add(Region)
  /// Removes the region (a circle on the ground) with this id.
  case remove(id: String)
  /// Lists the regions (circles on the ground) of the app.
  case list
}

extension RegionCommand {
  init(parsing words: inout Words) throws(LineError) {
    let verb = try words.argument("ADD, DEL or LIST")
    if words.matches(verb, "ADD") {
      self = .add(try Region(parsing: &words))
    } else if words.matches(verb, "DEL") {
      self = .remove(id: try words.token("a region's id"))
    } else if words.matches(verb, "LIST") {
      self = .list
    } else {
      throw LineError(.badArgument, "'REGION' must be followed by 'ADD', 'DEL' or 'LIST'")
    }
  }

  func write(to buffer: inout TextBuffer) {
    switch self {
    case .add(let region): region.write(to: &buffer)
    case .remove(let id): buffer.append("REGION DEL ", id)
    case .list: buffer.append("REGION LIST")
    }
  }
}

extension Region {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    let id = try words.token("a region's id")
    let centre = try words.coordinate()
    let radius = try words.decimal("a radius")
    let events = try words.events(try words.argument("enter,exit"))
    let text = words.remainder
    guard words.first(text) == UInt8(ascii: ":") else {
      throw LineError(.badArgument, "REGION ADD must end with a colon and the text for the user")
    }
    try self.init(id: id, centre: centre, radius: radius, events: events, text: words.text(text.dropFirst()))
  }

  fileprivate func write(to buffer: inout TextBuffer) {
    buffer.append("REGION ADD ", id)
    for number in [centre.latitude, centre.longitude, radius] {
      buffer.append(" ")
      buffer.append(number)
    }
    buffer.append(" ", events.text)
    buffer.append(" :", text)
  }

  /// The region (a circle on the ground) as a JSON object in the line protocol.
  public var json: String {
    JSONObject.text([
      "id": id, "lat": centre.latitude, "lon": centre.longitude, "radius": radius, "events": events.text,
      "text": text,
    ])
  }
}

extension Words {
  fileprivate func events(_ word: Word) throws(LineError) -> Region.Events {
    var events: Region.Events = []
    for part in word.split(omittingEmptySubsequences: false, whereSeparator: { byte($0) == UInt8(ascii: ",") }) {
      if matches(part, "enter") {
        events.insert(.enter)
      } else if matches(part, "exit") {
        events.insert(.exit)
      } else {
        throw LineError(.badArgument, "a region's events must be enter, exit or enter,exit")
      }
    }
    return events
  }

  /// Reads the next two words of the protocol line as a latitude and a longitude in degrees.
  @_lifetime(self: copy self)
  mutating func coordinate() throws(LineError) -> Coordinate {
    let latitude = try decimal("a latitude")
    let longitude = try decimal("a longitude")
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw LineError(.badArgument, "a latitude must be -90 to 90 degrees, and a longitude -180 to 180 degrees")
    }
    return coordinate
  }

  /// Reads the next word of the protocol line as a decimal number. The number has at most 10 decimals, because
  /// `TextBuffer` writes up to 10 decimals.
  /// - Parameter what: The name of the number in the error message.
  @_lifetime(self: copy self)
  mutating func decimal(_ what: String) throws(LineError) -> Double {
    let word = try argument(what)
    let digits = first(word) == UInt8(ascii: "-") ? word.dropFirst() : word
    let point = digits.first { byte($0) == UInt8(ascii: ".") }
    let whole = digits.lowerBound..<(point ?? digits.upperBound)
    let decimals = point.map { $0 + 1..<digits.upperBound }
    guard number(whole) != nil, whole.count <= 6, decimals.map({ number($0) != nil && $0.count <= 10 }) != false,
      let value = Double(text(word))
    else {
      throw LineError(.badArgument, "\(what) must be a number with at most 10 decimals, as in 8.5417")
    }
    return value
  }
}
