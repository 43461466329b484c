import Configuration
import Hardware

extension Fault {
  /// An output gets a fix at each press of the button. The owner must know that a press sends the location even if no
  /// app waits.
  static let eachPress = Fault(
    "each-press", .note,
    "each press of {buttons} sends the location to {output} for the app {app}, unless another app waits")
}

extension Subject {
  /// Returns the note that an output gets a fix at each press of the button.
  func eachPressFinding(to output: String, of app: String, at location: ConfigurationLocation) -> Finding {
    let buttons = board.buttons.filter { $0.apps?.contains(app) ?? true }.map { "button \($0.name)" }
    return Finding(
      .eachPress, at: location,
      ["buttons": buttons.isEmpty ? "no button" : buttons.joined(separator: " or "), "output": output, "app": app])
  }
}
