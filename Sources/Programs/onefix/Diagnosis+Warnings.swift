import Hardware
import OwnerScreens

extension Diagnosis {
  /// Returns a statement for each warning in the gateway's status. Warnings come from the checks at the start of the
  /// daemon, and from the running gateway.
  /// - Parameter known: The codes of problems that are already in the output.
  func warnings(besides known: Set<String>) -> [Statement] {
    words("warnings").map(String.init).filter { !known.contains($0) }.map { code in
      if code.hasPrefix("log-busy:") { return busyLog(of: String(code.dropFirst("log-busy:".count))) }
      return Self.warnings[code] ?? TimeView.statement(about: code)
        ?? Statement(
          LegibilityProblem(rawValue: code) == nil ? .warning : .bad, "The daemon found \(code) when it started.",
          advice: "Run onefixd check for details.")
    }
  }

  private static let warnings: [String: Statement] = [
    "receiver-shared": Statement(
      .warning, "Others on this machine can also read the receiver. You allowed it (allow_shared_receiver).",
      advice: "They know the location without a press. A udev rule can give the receiver only to the daemon."),
    "rights-changed": Statement(
      .bad,
      "Rights of apps were changed, or sealed with another device key. The daemon denied these apps when it started.",
      advice:
        "The log of onefixd names the apps. If the device has another key now, restore the key, the state and its "
        + "anchor from a backup. Otherwise find out which program can write the state, check the log with onefix log "
        + "--verify, and then allow the apps again."),
    "state-older": Statement(
      .bad,
      "The state was older than its anchor when the daemon started, or it was new: the gateway denied every app and was "
        + "locked.",
      advice:
        "If you restored the state, or moved a damaged one away, start onefixd once with --renew-anchor (man onefixd, "
        + "EXAMPLES), then hold the button and allow the apps. Otherwise find out which program can write the state."),
    "state-volatile": Statement(
      .warning,
      "The state, its anchor or the device key is lost or replaced by an older copy when the machine stops. You allowed "
        + "it (allow_volatile_state).",
      advice:
        "Locks, denials and the log are then lost. Keep them on a partition of their own (man onefixd, A READ-ONLY "
        + "ROOT)."),
    "clock-unset": Statement(
      .warning, "The clock of this machine is not set: new entries of the log have wrong times.",
      advice: "See timedatectl. Without a network, chrony can set the clock from the receiver (man onefix.toml)."),
    "clock-differs": Statement(
      .warning,
      "The clock of this machine and the time of the receiver differ by more than an hour: new entries of the log may "
        + "have wrong times.",
      advice: "See timedatectl. Without a network, chrony can set the clock from the receiver (man onefix.toml)."),
  ]

  private func busyLog(of app: String) -> Statement {
    Statement(
      .warning, "\(app) has used most of its entries in the log. The gateway will soon refuse its requests.",
      advice: "onefix log --app \(app) lists the entries. An app that needs many fixes can use START updates.")
  }
}
