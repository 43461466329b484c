import Base
public import GNSS

/// A circle on the ground that an owner (administrator) has named. An app with the accuracy `place` receives the name,
/// and no position, while the device is inside the circle.
public struct NamedPlace: Hashable, Sendable {
  /// The word that an app receives instead of the name of a place (a circle on the ground), if the device is in no
  /// place that the app may know. No place can have this name.
  public static let away = "away"

  /// The name of the place (a circle on the ground): 1...32 letters, digits, `.`, `-` and `_`.
  public let name: String
  /// The centre of the place (a circle on the ground).
  public let centre: Coordinate
  /// The radius on the ground in metres, within `Region.radii`.
  public let radius: Double

  /// Creates a place (a named circle on the ground).
  /// - Throws: `LineError` with the code 405 and a message about the first invalid value.
  public init(name: String, centre: Coordinate, radius: Double) throws(LineError) {
    self.name = try Self.checked(name)
    self.centre = centre
    self.radius = try Self.checked(radius)
  }

  package static func isName(_ text: String) -> Bool { (try? checked(text)) != nil }

  /// Returns the name if the name is valid for a place.
  /// - Throws: `LineError` with the code 405.
  static func checked(_ name: String) throws(LineError) -> String {
    guard Words.isToken(name) else {
      throw LineError(.badArgument, "a place's name must have 1 to 32 letters, digits, dots, dashes or underscores")
    }
    guard name.lowercased() != away else {
      throw LineError(.badArgument, "no place can have the name away (apps receive this name outside the places)")
    }
    return name
  }

  /// Returns the radius in metres if the radius is valid for a place.
  /// - Throws: `LineError` with the code 405.
  static func checked(_ radius: Double) throws(LineError) -> Double { try Region.checked(radius, "a place's radius") }
}

/// A command of an owner (administrator) about the places (named circles on the ground).
public enum PlaceCommand: Hashable, Sendable {
  /// Adds a place (a named circle on the ground), or replaces the place with the same name. The radius is in metres. If
  /// the centre is nil, the present position is the centre.
  case add(name: String, radius: Double, centre: Coordinate?)
  /// Removes the place (a circle on the ground) with this name.
  case remove(name: String)
  /// Lists the names and radii of all places (circles on the ground), without coordinates.
  case list
  /// Allows an app to receive the names of these places (named circles on the ground) instead of positions.
  case allow(app: String, names: [String])
  /// Forbids an app to receive the names of these places (named circles on the ground). An empty list forbids all
  /// names.
  case deny(app: String, names: [String])
}

extension PlaceCommand {
  init(parsing words: inout Words) throws(LineError) {
    let verb = try words.argument("ADD, DEL, LIST, ALLOW or DENY")
    if words.matches(verb, "ADD") {
      let name = try words.placeName()
      let radius = try NamedPlace.checked(try words.decimal("a radius"))
      guard words.peek != nil else {
        self = .add(name: name, radius: radius, centre: nil)
        return
      }
      self = .add(name: name, radius: radius, centre: try words.coordinate())
    } else if words.matches(verb, "DEL") {
      self = .remove(name: try words.placeName())
    } else if words.matches(verb, "LIST") {
      self = .list
    } else if words.matches(verb, "ALLOW") {
      let app = words.text(try words.argument("an app"))
      var names = [try words.placeName()]
      while words.peek != nil { names.append(try words.placeName()) }
      self = .allow(app: app, names: names)
    } else if words.matches(verb, "DENY") {
      let app = words.text(try words.argument("an app"))
      var names: [String] = []
      while words.peek != nil { names.append(try words.placeName()) }
      self = .deny(app: app, names: names)
    } else {
      throw LineError(.badArgument, "'PLACE' must be followed by 'ADD', 'DEL', 'LIST', 'ALLOW' or 'DENY'")
    }
  }

  func write(to buffer: inout TextBuffer) {
    switch self {
    case .add(let name, let radius, let centre):
      buffer.append("PLACE ADD ", name)
      for number in [radius] + (centre.map { [$0.latitude, $0.longitude] } ?? []) {
        buffer.append(" ")
        buffer.append(number)
      }
    case .remove(let name): buffer.append("PLACE DEL ", name)
    case .list: buffer.append("PLACE LIST")
    case .allow(let app, let names):
      buffer.append("PLACE ALLOW ", app)
      for name in names { buffer.append(" ", name) }
    case .deny(let app, let names):
      buffer.append("PLACE DENY ", app)
      for name in names { buffer.append(" ", name) }
    }
  }
}

extension Words {
  @_lifetime(self: copy self)
  fileprivate mutating func placeName() throws(LineError) -> String {
    try NamedPlace.checked(text(try argument("a place's name")))
  }
}
