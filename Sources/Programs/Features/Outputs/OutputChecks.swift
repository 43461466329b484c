import Configuration
import Hardware

extension Fault {
  /// The note that each press of the button sends the location to a file, a port or a server. The owner must know that
  /// no request is necessary.
  static let eachPress = Fault(
    "each-press", .note,
    "each press of {buttons} sends the location to {output} for the app {app}, unless another app waits")
}

extension Subject {
  /// Returns a note that each press of the button sends the location to an output (a file, a port or a server).
  /// - Parameters:
  ///   - output: The output in words, as in `the file /srv/points.gpx`.
  ///   - app: The app whose fixes the output receives.
  func eachPressFinding(to output: String, of app: String, at location: ConfigurationLocation) -> Finding {
    let buttons = board.buttons.filter { $0.apps?.contains(app) ?? true }.map { "button \($0.name)" }
    return Finding(
      .eachPress, at: location,
      ["buttons": buttons.isEmpty ? "no button" : buttons.joined(separator: " or "), "output": output, "app": app])
  }
}
