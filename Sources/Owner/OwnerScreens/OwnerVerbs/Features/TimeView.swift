import Base
package import LineProtocol

/// The texts about the time of the GNSS receiver, which the gateway sends to the time service chrony.
package struct TimeView {
  private let fields: ServerLine.Fields

  /// Reads the state of the time; nil if the gateway does not send the time to chrony.
  /// - Parameter status: The fields of the reply to the command `STATUS`.
  package init?(_ status: ServerLine.Fields) {
    guard status["time"] != nil else { return nil }
    fields = status
  }

  /// Returns the label and the value for the output of the command `status`.
  func row(_ formatter: TextFormatter) -> (label: String, value: String) {
    let sample = fields["time-last"].map { last in
      formatter.text(
        TimePhrase.sample,
        [
          .time: TextFormatter.time(last), .value: fields["time-offset-s"] ?? "", .count: fields["time-sent"] ?? "",
          .number: fields["time-failed"] ?? "",
        ])
    }
    let value = [sample ?? formatter.text(TimePhrase.waiting), fields["time-fault"]].compactMap(\.self)
    return (formatter.text(TimePhrase.time), formatter.list(value))
  }

  /// The result in `onefix doctor`, a command that checks a gateway.
  package var statement: Statement {
    switch fields["time"] {
    case "sent": Statement(.good, "chrony gets the time of the receiver.")
    case "failed":
      Statement(
        .bad, "chrony does not get the time of the receiver (\(fields["time-fault"] ?? "unknown")).",
        advice: "Check systemctl status chrony. If chronyd runs, onefixd check names the faults of the socket.")
    default: Statement(.note, "chrony gets the time after the first valid fix of the receiver.")
    }
  }

  /// Returns the sentence for the privacy report about data that other users of the machine can see in chrony.
  func notice(_ formatter: TextFormatter) -> String { formatter.text(TimePhrase.notice) }

  /// Returns the explanation of a warning in `onefix doctor`; nil if the warning is not about the time.
  /// - Parameter warning: The code of the warning in the reply to the command `STATUS`.
  package static func statement(about warning: String) -> Statement? {
    guard warning == "time-reduced" else { return nil }
    return Statement(
      .warning, "An app has reduced accuracy, but every user can see in chrony when the receiver has no fix.",
      advice: "If this matters, remove [time] from the configuration.")
  }
}

/// The phrases about the time of the GNSS receiver, which the gateway sends to the time service chrony.
package enum TimePhrase: Phrase {
  case time, waiting, sample
  /// The sentence for the privacy report: every user of the machine can see when the receiver has no fix.
  case notice
}
