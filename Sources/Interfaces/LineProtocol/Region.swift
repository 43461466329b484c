import Base
public import GNSS

/// A circle on the ground that an app registers. The app receives a message when the device enters or leaves it. The
/// values of a region are always valid.
public struct Region: Hashable, Sendable {
  /// The events about which the app wants a message.
  public struct Events: OptionSet, Hashable, Sendable {
    /// The bits, one for each event.
    public let rawValue: UInt8

    /// Creates events from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The device enters the region.
    public static let enter = Events(rawValue: 1)
    /// The device leaves the region.
    public static let exit = Events(rawValue: 2)
  }

  /// The permitted radii in metres. Messages about a smaller circle would disclose the position.
  public static let radii: ClosedRange<Double> = 100...100_000

  /// The region's id, which the app chose: 1...32 letters, digits, `.`, `-` and `_`.
  public let id: String
  /// The centre of the circle.
  public let centre: Coordinate
  /// The radius on the ground in metres, within `radii`.
  public let radius: Double
  /// The events about which the app wants a message, at least one.
  public let events: Events
  /// The text to show to the user, at most 80 columns.
  public let text: String

  /// Creates a region. If a value is invalid, throws a `LineError` with the code 405 and a message about the first
  /// invalid value.
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

  /// Returns a radius, if it is permitted. Otherwise throws an error with the name of the value.
  static func checked(_ radius: Double, _ name: String) throws(LineError) -> Double {
    guard radii.contains(radius) else {
      throw LineError(.badArgument, "\(name) must be \(Int(radii.lowerBound)) to \(Int(radii.upperBound)) metres")
    }
    return radius
  }
}

extension Region.Events {
  /// The events as text of the line protocol, for example `enter,exit`.
  public var text: String {
    [(Region.Events.enter, "enter"), (.exit, "exit")].filter { contains($0.0) }.map(\.1).joined(separator: ",")
  }
}

/// A command on the app's regions.
public enum RegionCommand: Hashable, Sendable {
  /// Adds a region, or replaces the region with the same id.
  case add(Region)
  /// Removes the region with this id.
  case remove(id: String)
  /// Lists the regions of the app.
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

  /// The region as JSON.
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

  /// Reads the next two words as a latitude and a longitude in degrees.
  @_lifetime(self: copy self)
  mutating func coordinate() throws(LineError) -> Coordinate {
    let latitude = try decimal("a latitude")
    let longitude = try decimal("a longitude")
    guard let coordinate = Coordinate(latitude: latitude, longitude: longitude) else {
      throw LineError(.badArgument, "a latitude must be -90 to 90 degrees, and a longitude -180 to 180 degrees")
    }
    return coordinate
  }

  /// Reads the next word as a number with at most 10 decimals, because `TextBuffer` writes up to 10 decimals.
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
