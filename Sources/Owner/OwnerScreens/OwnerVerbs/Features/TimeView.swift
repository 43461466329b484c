import Base
import LineProtocol

/// The texts about the time of the GNSS receiver, which the gateway sends to the time service chrony.
struct TimeView: FeatureView {
  private let fields: ServerLine.Fields

  init?(_ status: ServerLine.Fields) {
    guard status["time"] != nil else { return nil }
    fields = status
  }

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

  var statement: Statement {
    switch fields["time"] {
    case "sent": Statement(.good, "chrony gets the time of the receiver.")
    case "failed":
      Statement(
        .bad, "chrony does not get the time of the receiver (\(fields["time-fault"] ?? "unknown")).",
        advice: "Check systemctl status chrony. onefixd check names the faults of the socket.")
    default: Statement(.note, "chrony gets the time after the first valid fix of the receiver.")
    }
  }

  func notice(_ formatter: TextFormatter) -> String { formatter.text(TimePhrase.notice) }

  static func statement(about warning: String) -> Statement? {
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
