import LineProtocol
import OwnerScreens

// Statements about the closed listeners, and about the apps that are off.
extension Diagnosis {
  var listeners: [Statement] {
    status.numbered("listener").map { key, name in
      let since = status[key + "-since"].map { " since \($0)" } ?? ""
      let (cause, advice) = Self.cause(of: status[key + "-fault"] ?? "")
      return Statement(
        .bad, "The listener \(name) is closed\(since): \(cause).",
        advice: "\(advice) The gateway opens it as soon as it can, at most a minute later.")
    }
  }

  /// Returns an explanation of a listener's error code, as in `taken`, and the advice for the owner.
  private static func cause(of fault: String) -> (text: String, advice: String) {
    switch fault {
    case "taken":
      (
        "another program has its address",
        "Programs that use this address talk to the other program. onefixd check names it."
      )
    case "no-address": ("this machine does not have its address", "ip address lists the addresses.")
    case "denied": ("the gateway has no permission", "The log of onefixd shows the cause.")
    case "certificate": ("its certificate or its key cannot be used", "onefixd check names the file.")
    default: ("it failed", "The log of onefixd shows the cause.")
    }
  }

  var apps: [Statement] {
    words("apps-off").map { app in
      Statement(
        .bad, "App \(app) is off: its user did not exist when the gateway read the configuration.",
        advice: "Correct 'uid' of the app, or create the user. Then use sudo systemctl reload onefix.")
    }
  }
}
