import Hardware
import LineProtocol
import OwnerScreens

/// The output of `onefix doctor`: statements that explain the gateway's state, with advice.
struct Diagnosis {
  let status: ServerLine.Fields

  var statements: [Statement] {
    [lock, receiver, age, stream].compactMap(\.self) + fields
      + [bus, line, date, settings, indicator].compactMap(\.self)
      + attacks + defects + buttons + brokers + listeners + apps
      + [TimeView(status)?.statement, log, store].compactMap(\.self)
  }

  var source: String { status["source"] ?? "" }

  private var lock: Statement? {
    guard status["locked"] == "true" else { return nil }
    return Statement(
      .warning, "The gateway is locked: it discloses no location.", advice: "Hold the button for three seconds.")
  }

  // MARK: Indicator and buttons

  private var indicator: Statement? {
    guard let fault = status["indicator-fault"] else { return Statement(.good, "The indicator is visible.") }
    return Statement(
      .bad, "The indicator is not visible enough (\(fault)): no press is granted.",
      advice: LegibilityProblem(rawValue: fault).map { "Remedy: \($0.remedy)." })
  }

  private var buttons: [Statement] {
    (status["button-fault"] ?? "").split(separator: ",").map { fault in
      let parts = fault.split(separator: ":").map(String.init)
      let name = parts.first ?? ""
      return parts.last == "stuck"
        ? Statement(
          .bad, "Button \(name) has been down for a minute. It is ignored until it is released.",
          advice: "Check that it is not stuck, and check active_low and bias in the board's file.")
        : Statement(.bad, "Button \(name) is absent.", advice: "Check its chip with gpiodetect.")
    }
  }

  // MARK: Brokers

  private var brokers: [Statement] {
    let brokers = status.numbered("mqtt")
    return brokers.map { output($0.key, "broker \($0.value)", app: status[$0.key + "-app"] ?? "") }
      + brokers.flatMap { subscribers(of: $0.key) }
      + status.numbered("output").map { output($0.key, "output \($0.value)", app: status[$0.key + "-app"] ?? "") }
      + status.numbered("absent-output").map { absentOutput($0.value, waiting: status[$0.key + "-waiting"] ?? "0") }
  }

  private func absentOutput(_ address: String, waiting: String) -> Statement {
    Statement(
      .warning, "\(Self.waiting(waiting)) for \(address), and no such output runs.",
      advice: "If its entry in the configuration was changed, restore the entry before the fixes expire, and restart "
        + "onefixd.")
  }

  /// Returns the remedy as a sentence. Some remedies are questions.
  private static func advice(_ fault: OutputFault) -> String {
    "Remedy: \(fault.remedy)" + (fault.remedy.hasSuffix("?") ? "" : ".")
  }

  private static func waiting(_ count: String) -> String { count == "1" ? "1 fix waits" : "\(count) fixes wait" }

  private func output(_ key: String, _ address: String, app: String) -> Statement {
    let fault = status[key + "-fault"].flatMap { OutputFault(rawValue: $0) }
    let detail = status[key + "-detail"].map { " (\($0))" } ?? ""
    let cause = fault.map { ": \($0.cause)\(detail)" } ?? ""
    // A file has no connection.
    let (present, away) = key.hasPrefix("mqtt") ? ("connected", "disconnected") : ("ready", "not usable")
    let (isAway, isFull) = (status[key + "-state"] != "connected", status[key + "-full"] == "true")
    if isAway || isFull {
      let since = isAway ? status[key + "-since"].map { " since \($0)" } ?? "" : ""
      let limit = isFull ? ", the most that may wait: a press adds none until it has got one" : ""
      return Statement(
        .bad,
        "The \(address) is \(isAway ? away : present)\(since)\(cause). "
          + "\(Self.waiting(status[key + "-waiting"] ?? "0")) for it (for \(app))\(limit).",
        advice: fault.map(Self.advice) ?? "The log of onefixd shows the cause.")
    }
    if let fault {
      return Statement(.bad, "The \(address) refused a fix\(cause) (for \(app)).", advice: Self.advice(fault))
    }
    guard status[key + "-version"] == MQTTVersion.three.rawValue else {
      let waiting = status[key + "-waiting"] ?? "0"
      // A server that never acknowledges a fix looks connected. `subscribers` reports fixes that wait for a subscriber.
      return waiting == "0" || status[key + "-subscriber"] == "awaited"
        ? Statement(.good, "The \(address) is \(present) (for \(app)).")
        : Statement(.note, "The \(address) is \(present) (for \(app)). \(Self.waiting(waiting)) for it.")
    }
    return Statement(
      .warning,
      "The \(address) is connected (for \(app)) with MQTT 3.1.1: it acknowledges a fix that its access control "
        + "drops, and the log then shows the fix as acknowledged.",
      advice: "Use a broker with MQTT 5, without version = \"3.1.1\" in [[mqtt]], and restart onefixd.")
  }

  private func subscribers(of key: String) -> [Statement] {
    let (address, app) = (status[key] ?? "", status[key + "-app"] ?? "")
    var statements = (status[key + "-undelivered"] ?? "").split(separator: ",").map { topic in
      let rule = "its ACL needs a line for the gateway's user: topic readwrite \(topic)"
      let more = topic.hasPrefix("owntracks/") ? ", and the lines of the guide about fleets for OwnTracks" : ""
      guard topic.hasPrefix("homeassistant/device/") else {
        return Statement(
          .bad, "The broker \(address) does not permit a topic of \(app), so no message passes on it.",
          advice: "The broker must permit messages of 8 KB, and \(rule)\(more)")
      }
      return Statement(
        .bad, "The broker \(address) does not deliver the description of \(app): Home Assistant shows no device.",
        advice: "The broker must permit messages of 8 KB, and \(rule)")
    }
    let waiting = status[key + "-waiting"] ?? "0"
    if status[key + "-subscriber"] == "awaited", waiting != "0" {
      statements.append(
        Statement(
          .note, "\(Self.waiting(waiting)) for the subscriber of \(app) to appear at the broker \(address).",
          advice: "subscriber_topic and subscriber_timeout_s in [[mqtt]] configure the topic and the maximum wait."))
    }
    return statements
  }

  // MARK: The log and the store

  private var log: Statement? {
    let fault = status["log-fault"] ?? ""
    switch status["log"] {
    case "good": return Statement(.good, "The log of disclosures is unchanged.")
    case "unchecked": return Statement(.note, "The log of disclosures is not checked yet.")
    case "broken": return brokenLog(fault)
    case "failing" where fault == "unreadable":
      return Statement(
        .bad, "The log of disclosures cannot be read.",
        advice: "Check the disk, and the permissions of the state and the anchor. The log of onefixd shows the cause.")
    case "failing":
      return Statement(
        .bad, "The log of disclosures cannot be maintained: a write to the state or to the anchor failed.",
        advice: "Free space on their file systems, and check their permissions. The log of onefixd shows the cause.")
    default: return nil
    }
  }

  private func brokenLog(_ fault: String) -> Statement {
    let details = fault + (status["log-entry"].map { ", entry #\($0)" } ?? "")
    let text =
      switch fault {
      case "not-as-anchored":
        "The log of disclosures does not fit its anchor (\(details)): entries were removed, or the state was replaced by "
          + "an older or a new one."
      case "anchor-missing": "The anchor of the log of disclosures is missing (\(details))."
      default: "The log of disclosures or its anchor was changed (\(details))."
      }
    return Statement(
      .bad, text,
      advice:
        "onefix log --verify lists all faults. If you replaced the state or the anchor yourself, start onefixd once "
        + "with --renew-anchor (man onefixd, EXAMPLES). Otherwise find out which program can write them.")
  }

  private var store: Statement? {
    let faults = words("store-fault").map { $0.split(separator: ":") }
    guard !faults.isEmpty else { return nil }
    let unsaved = faults.first { $0.first == "unsaved" }?.last
    // The latest write can have failed long ago, if no app has asked since then.
    return Statement(
      unsaved == nil ? .warning : .bad,
      unsaved.map {
        "Changes of rights are in force, but not on the disk (\($0)): the gateway discloses nothing until they are, and a "
          + "power cut undoes them."
      }
        ?? "The latest write to the state failed, or the disk has no room for revocations: the gateway discloses nothing "
        + "that it cannot log.",
      advice: "Free space on the file system of the state, and check that it is not read-only (findmnt -T "
        + "/var/lib/onefix) and that no other program keeps the database open. The log of onefixd shows the cause. "
        + "The gateway tries again every 5 s, and before the next disclosure. After a fix that could not be logged, this "
        + "message stays until the next fix is logged.")
  }
}
