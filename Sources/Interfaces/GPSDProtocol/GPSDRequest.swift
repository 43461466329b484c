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
  /// An unknown command, or one whose argument is no JSON object, by its name.
  case unknown(String)

  /// - Parameter argument: the text behind `=`; nil if the command has none.
  init(_ name: [UInt8], _ argument: [UInt8]?) {
    let title = String(decoding: name.prefix(32), as: UTF8.self)
    var object: JSONValue?
    if let argument {
      guard let value = JSONValue(argument), case .object = value else {
        self = .unknown(title)
        return
      }
      object = value
    }
    switch title {
    case "VERSION": self = .version
    case "DEVICES": self = .devices
    case "DEVICE": self = .device
    case "POLL": self = .poll
    case "WATCH": self = .watch(object.map(WatchWish.init))
    default: self = .unknown(title)
    }
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
