import Hardware
import LineProtocol

/// Something that `onefix doctor` says.
struct Statement: Hashable {
  enum Level: Hashable {
    case good
    /// What is good to know.
    case note
    /// It works, and could be better.
    case warning
    /// Something to mend.
    case bad

    var sign: String {
      switch self {
      case .good: "✓"
      case .note: "·"
      case .warning: "!"
      case .bad: "✗"
      }
    }
  }

  var level: Level
  var text: String
  /// What to do.
  var advice: String?

  init(_ level: Level, _ text: String, advice: String? = nil) {
    self.level = level
    self.text = text
    self.advice = advice
  }

  /// One line, or two with the advice.
  var lines: [String] { ["\(level.sign) \(text)"] + (advice.map { ["    \($0)"] } ?? []) }
}

/// From what a gateway says of itself to what a person can do about it.
struct Diagnosis {
  /// The owner's status.
  let status: ServerLine.Fields

  var statements: [Statement] {
    [lock, receiver].compactMap(\.self) + [age, stream, bus, line, date, settings, indicator].compactMap(\.self)
      + buttons + brokers
  }

  private var source: String { status["source"] ?? "" }

  private var lock: Statement? {
    guard status["locked"] == "true" else { return nil }
    return Statement(.warning, "The gateway is locked: nothing is given.", advice: "Hold the button for three seconds.")
  }

  // MARK: The receiver

  private var receiver: Statement? {
    if let fault = status["receiver-power-fault"] {
      return Statement(
        .bad, "The receiver cannot be switched on (\(fault)).",
        advice: "See [receiver.power] in the board's file, and gpioinfo for who holds its line.")
    }
    switch status["receiver"] {
    case "off": return Statement(.note, "The receiver is switched off until it is needed.")
    case "ready":
      let satellites = status["sats"].map { " from \($0) satellites" } ?? ""
      return Statement(.good, "The receiver has a \((status["fix"] ?? "").uppercased()) fix\(satellites).")
    case "acquiring":
      guard let count = status["sats"].flatMap({ Int($0) }), count > 0 else {
        return Statement(
          .bad, "The receiver speaks, but uses no satellite.",
          advice: "Is the antenna plugged in, and under open sky? After a cold start it takes half a minute.")
      }
      return Statement(
        .bad, "The receiver has no fix yet; it uses \(count) satellites, and needs four.",
        advice: "Give the antenna more sky, away from USB 3 devices and screens, and some minutes.")
    case "starting":
      return Statement(
        .bad, "The receiver's port is open, but nothing came that makes sense.",
        advice: source.hasPrefix("i2c")
          ? "Is it a receiver that answers there? See i2cdetect, and its manual for the address."
          : "Are TX and RX crossed, is it powered, and is the speed right? Without one, as in uart:/dev/ttyS0, it is found."
      )
    case "absent":
      return Statement(
        .bad, "The receiver is not there.",
        advice: "The log of onefixd says why; what is wrong with the port stands below.")
    default: return nil
    }
  }

  private var age: Statement? {
    guard status["receiver"] == "ready", status["fix-age"] != "fresh" else { return nil }
    return Statement(
      .bad, "The latest fix is more than two seconds old: a press has to wait for the next.",
      advice: "Does the receiver send at least once a second, and does the line carry all of it?")
  }

  /// What was damaged on the way, and, as in `i2c-timeout`, what failed on a bus.
  private var errors: [(cause: String, count: Int)] {
    (status["errors"] ?? "").split(separator: ",").compactMap { pair -> (cause: String, count: Int)? in
      let parts = pair.split(separator: ":")
      guard parts.count == 2, let count = Int(parts[1]) else { return nil }
      return (String(parts[0]), count)
    }
  }

  /// Frames that arrived, and those that were thrown away, by cause.
  private var stream: Statement? {
    guard let frames = status["frames"].flatMap({ Int($0) }) else { return nil }
    let errors = errors.filter { !$0.cause.hasPrefix("i2c-") }
    let total = errors.reduce(0) { $0 + $1.count }
    guard total > 0 else { return Statement(.good, "None of \(frames) sentences and frames was corrupt.") }
    let causes = errors.map { "\($0.cause) \($0.count)" }.joined(separator: ", ")
    let share = "\(total) of \(frames + total) sentences and frames were corrupt (\(causes))."
    let worst = errors.max { $0.count < $1.count }?.cause
    // The first sentence after opening a port is often half a one.
    guard total * 1000 >= 5 * (frames + total), total > 2 else { return Statement(.note, share) }
    return Statement(.bad, share, advice: corruptionAdvice(frames: frames, worst: worst))
  }

  /// What failed on the bus, by cause.
  private var bus: Statement? {
    let faults = errors.filter { $0.cause.hasPrefix("i2c-") }
    let total = faults.reduce(0) { $0 + $1.count }
    guard total > 0 else { return nil }
    let causes = faults.map { "\($0.cause.dropFirst(4)) \($0.count)" }.joined(separator: ", ")
    let text = "The receiver's I2C bus failed \(total) times (\(causes))."
    // One now and then is tried again, and nothing is lost.
    let frames = status["frames"].flatMap { Int($0) } ?? 0
    guard total * 1000 >= 5 * frames, total > 2 else { return Statement(.note, text) }
    return Statement(
      .warning, text, advice: "Shorter wires, stronger pull-ups, 100 kHz; and is another program using the bus?")
  }

  private func corruptionAdvice(frames: Int, worst: String?) -> String {
    if worst == "no-checksum" {
      return "Its sentences have no checksum. With checksum = false under [receiver] they count, garbled or not."
    }
    if source.hasPrefix("i2c") {
      return "A Raspberry Pi before the 5 reads wrong bits where a receiver stretches the clock: about 20 corrupt "
        + "sentences in 1,000 at 400 kHz. dtoverlay=i2c-gpio has none. Else: shorter wires, stronger pull-ups."
    }
    if frames == 0 { return "Nothing at all is right: the speed is wrong, or the wire carries something else." }
    return "Is another program reading the port, too? Else: shorter wires, a common ground, another speed."
  }

  private var line: Statement? {
    guard status["line"] == "full" else { return nil }
    return Statement(
      .bad, "The receiver sends as much as the line carries, or more: it drops the rest.",
      advice: "Raise the speed (9600 baud carry 960 bytes a second), or have it send fewer messages or less often.")
  }

  private var date: Statement? {
    guard status["date"] == "corrected" else { return nil }
    return Statement(
      .warning, "The receiver's date is 1024 weeks behind, and was moved.", advice: "Update the receiver's firmware.")
  }

  private var settings: Statement? {
    switch status["settings"] {
    case "unanswered":
      return Statement(
        .warning, "The receiver did not answer to its settings.",
        advice: "Is its RX wired? Is it a u-blox? Else say configure = false under [receiver].")
    case "partly":
      return Statement(
        .warning, "The receiver did not take all of its settings.",
        advice: "onefix status lists them as settings-refused.")
    default: return nil
    }
  }

  // MARK: What a person sees and touches

  private var indicator: Statement? {
    guard let fault = status["indicator-fault"] else { return Statement(.good, "The indicator can be seen.") }
    return Statement(
      .bad, "The indicator cannot be seen as it must (\(fault)): no press is granted.",
      advice: LegibilityRestriction(rawValue: fault).map { "To mend it, \($0.remedy)." })
  }

  private var buttons: [Statement] {
    (status["button-fault"] ?? "").split(separator: ",").map { fault in
      let parts = fault.split(separator: ":").map(String.init)
      let name = parts.first ?? ""
      return parts.last == "stuck"
        ? Statement(
          .bad, "Button \(name) has been down for a minute, and counts for nothing until it is up.",
          advice: "Is it stuck, or wired to the other level? See active_low and bias in the board's file.")
        : Statement(.bad, "Button \(name) is not there.", advice: "Has its chip gone? See gpiodetect.")
    }
  }

  // MARK: Brokers

  private var brokers: [Statement] {
    var statements: [Statement] = []
    while let place = status["mqtt-\(statements.count + 1)"] {
      let key = "mqtt-\(statements.count + 1)"
      let app = status[key + "-app"] ?? ""
      statements.append(
        status[key + "-state"] == "connected"
          ? Statement(.good, "The broker \(place) is there (for \(app)).")
          : Statement(
            .bad,
            "The broker \(place) is not there since \(status[key + "-since"] ?? ""); "
              + "\(status[key + "-waiting"] ?? "0") fixes wait for it (for \(app)).",
            advice: "The log of onefixd says why. What waits is given late, until it expires."))
    }
    return statements + statements.indices.flatMap { subscribers(of: "mqtt-\($0 + 1)") }
  }

  /// What programs at a connected broker do not get.
  private func subscribers(of key: String) -> [Statement] {
    let (place, app) = (status[key] ?? "", status[key + "-app"] ?? "")
    var statements = (status[key + "-undelivered"] ?? "").split(separator: ",").map { topic in
      Statement(
        .bad, "The broker \(place) does not deliver the description of \(app): Home Assistant shows no device.",
        advice: "Its ACL needs a line for the gateway's user: topic readwrite \(topic)")
    }
    let waiting = status[key + "-waiting"] ?? "0"
    if status[key + "-subscriber"] == "awaited", waiting != "0" {
      statements.append(
        Statement(
          .note, "\(waiting) fixes wait for a sign that the subscriber of \(app) is at the broker \(place).",
          advice: "subscriber_topic and subscriber_timeout_s in [[mqtt]] say which sign, and for how long."))
    }
    return statements
  }

  /// What the daemon found when it started, for where the machine could not be looked at now.
  /// - Parameter known: codes that were said already.
  func warnings(besides known: Set<String>) -> [Statement] {
    (status["warnings"] ?? "").split(separator: ",").map(String.init).filter { !known.contains($0) }.map { code in
      code == "receiver-shared"
        ? Statement(
          .warning, "Others on this machine can read the receiver, too: you allowed it (allow_shared_receiver).",
          advice: "They know where it is without a press. A udev rule gives it to the daemon alone.")
        : Statement(
          LegibilityRestriction(rawValue: code) == nil ? .warning : .bad, "The daemon found \(code) when it started.",
          advice: "onefixd check says more.")
    }
  }
}
