import Base

/// A command of a gpsd client. (gpsd_json(5), gpsd 3.22)
package enum GPSDRequest: Hashable, Sendable {
  /// Requests the version report of gpsd.
  case version
  /// Requests the list of receivers.
  case devices
  /// Requests the receiver's settings.
  case device
  /// Requests the latest report of the receiver.
  case poll
  /// Changes the watch settings (which reports the client wants); nil requests the current settings.
  case watch(WatchSettings?)
  /// A command whose argument is not a JSON object. The value is the name of the command.
  case invalid(String)
  /// An unknown command. The value is the name of the command.
  case unknown(String)

  /// Creates a command from its name and argument.
  /// - Parameter argument: The text after `=`; nil if the command has no argument.
  init(_ name: [UInt8], _ argument: [UInt8]?) {
    let title = String(decoding: name.prefix(32), as: UTF8.self)
    var object = argument.flatMap { JSONValue($0) }
    if case .object? = object {} else { object = nil }
    let request: GPSDRequest =
      switch title {
      case "VERSION": .version
      case "DEVICES": .devices
      case "DEVICE": .device
      case "POLL": .poll
      case "WATCH": .watch(object.map(WatchSettings.init))
      default: .unknown(title)
      }
    self = argument == nil || object != nil || request == .unknown(title) ? request : .invalid(title)
  }
}

/// The argument of the gpsd command `?WATCH=`: the settings that the client wants to change.
package struct WatchSettings: Hashable, Sendable {
  /// Whether the client switches the reports on, which is the default.
  package var isEnabled = true
  /// Whether the client wants JSON reports; nil to leave the setting unchanged.
  package var json: Bool?
  /// Whether the client wants NMEA sentences; nil to leave the setting unchanged.
  package var nmea: Bool?
  /// Whether the client wants the receiver's raw data; nil to leave the setting unchanged. The gateway offers no raw
  /// data, and sends JSON reports instead.
  package var raw: Bool?

  /// Creates an argument of `?WATCH=`. A parameter that is nil leaves its setting unchanged.
  package init(isEnabled: Bool = true, json: Bool? = nil, nmea: Bool? = nil, raw: Bool? = nil) {
    self.isEnabled = isEnabled
    self.json = json
    self.nmea = nmea
    self.raw = raw
  }

  init(_ object: JSONValue) {
    /// Returns whether a setting is `true`; nil without this setting. All other values mean false, as in gpsd 3.22.
    func isTrue(_ key: String) -> Bool? { object[key].map { $0.bool == true } }
    isEnabled = isTrue("enable") ?? true
    json = isTrue("json")
    nmea = isTrue("nmea")
    raw = object["raw"]?.number.map { $0 > 0 }
  }
}
