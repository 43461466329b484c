public import GNSS

/// A circle that an app wants to know of when its border is crossed. Every value is one that the contract allows.
public struct Region: Hashable, Sendable {
  /// What is watched of a border.
  public struct Events: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let enter = Events(rawValue: 1)
    public static let exit = Events(rawValue: 2)
  }

  /// Metres. A smaller circle would tell a place, and a larger one little.
  public static let radii: ClosedRange<Double> = 100...100_000

  /// 1...32 letters, digits, `.`, `-` and `_`, as the app named it.
  public let id: String
  public let centre: Coordinate
  /// Metres on the ground, 100...100,000.
  public let radius: Double
  /// At least one.
  public let events: Events
  /// What the person is told; at most 80 columns.
  public let text: String

  /// - Throws: `LineError` 405 that says which of them is not allowed.
  public init(id: String, centre: Coordinate, radius: Double, events: Events, text: String) throws(LineError) {
    guard Words.isToken(id, longest: 32) else {
      throw LineError(.badArgument, "a region's id has 1 to 32 letters, digits, dots, dashes, underscores")
    }
    guard Self.radii.contains(radius) else {
      throw LineError(.badArgument, "a region's radius is 100 to 100000 metres")
    }
    guard !events.isEmpty, events.isSubset(of: [.enter, .exit]) else {
      throw LineError(.badArgument, "a region's events are: enter, exit or enter,exit")
    }
    self.id = id
    self.centre = centre
    self.radius = radius
    self.events = events
    self.text = try Purpose.checked(text, "a region's text")
  }
}

extension Region.Events {
  /// As in `enter,exit`.
  public var text: String {
    [(Region.Events.enter, "enter"), (.exit, "exit")].filter { contains($0.0) }.map(\.1).joined(separator: ",")
  }
}

/// What an app says of its regions.
public enum RegionCommand: Hashable, Sendable {
  /// One of the same id is replaced.
  case add(Region)
  case remove(id: String)
  case list
}

extension RegionCommand {
  init(parsing words: inout Words) throws(LineError) {
    switch try words.argument("ADD, DEL or LIST").uppercased() {
    case "ADD": self = .add(try Region(parsing: &words))
    case "DEL": self = .remove(id: try words.token("a region's id"))
    case "LIST": self = .list
    default: throw LineError(.badArgument, "REGION has: ADD, DEL, LIST")
    }
  }

  var line: String {
    switch self {
    case .add(let region): region.line
    case .remove(let id): "REGION DEL \(id)"
    case .list: "REGION LIST"
    }
  }
}

extension Region {
  fileprivate init(parsing words: inout Words) throws(LineError) {
    let id = try words.token("a region's id")
    let latitude = try words.decimal("a latitude")
    let longitude = try words.decimal("a longitude")
    guard let centre = Coordinate(latitude: latitude, longitude: longitude) else {
      throw LineError(.badArgument, "a latitude is -90 to 90 degrees, and a longitude -180 to 180")
    }
    let radius = try words.decimal("a radius")
    var events: Events = []
    for word in try words.argument("enter,exit").lowercased().split(separator: ",", omittingEmptySubsequences: false) {
      switch word {
      case "enter": events.insert(.enter)
      case "exit": events.insert(.exit)
      default: throw LineError(.badArgument, "a region's events are: enter, exit or enter,exit")
      }
    }
    let text = words.remainder
    guard text.utf8.first == UInt8(ascii: ":") else {
      throw LineError(.badArgument, "REGION ADD ends in a colon and what the person is told")
    }
    try self.init(
      id: id, centre: centre, radius: radius, events: events,
      text: String(decoding: text.utf8.dropFirst(), as: UTF8.self))
  }

  fileprivate var line: String {
    var buffer = TextBuffer()
    buffer.append("REGION ADD \(id)")
    for number in [centre.latitude, centre.longitude, radius] {
      buffer.append(" ")
      buffer.append(number)
    }
    buffer.append(" \(events.text) :\(text)")
    return buffer.text
  }

  /// As its app gave it.
  public var json: String {
    var object = JSONObject()
    object.add("id", id)
    object.add("lat", centre.latitude)
    object.add("lon", centre.longitude)
    object.add("radius", radius)
    object.add("events", events.text)
    object.add("text", text)
    return object.text
  }
}

extension Words {
  /// A number of at most 10 decimals, so that it can be said again as it was.
  mutating func decimal(_ what: String) throws(LineError) -> Double {
    let word = try argument(what)
    var digits = word.utf8[...]
    if digits.first == UInt8(ascii: "-") { digits.removeFirst() }
    let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    let areDigits = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
    guard areDigits, parts[0].count <= 6, parts.count == 1 || parts[1].count <= 10, let value = Double(word) else {
      throw LineError(.badArgument, "\(what) is a number of at most 10 decimals, as in 8.5417")
    }
    return value
  }
}
