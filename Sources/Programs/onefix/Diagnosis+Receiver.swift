import LineProtocol
import OwnerScreens

/// The statements of the command `onefix doctor` about the receiver, its serial port and its signals.
extension Diagnosis {
  var receiver: Statement? {
    if let fault = status["receiver-power-fault"] {
      return Statement(
        .bad, "The receiver cannot be switched on (\(fault)).",
        advice: "See [receiver.power] in the board's file, and use gpioinfo to find the program that uses its line.")
    }
    switch status["receiver"] {
    case "off": return Statement(.note, "The receiver is switched off until a request needs it.")
    case "ready":
      let satellites = status["sats"].map { " from \($0) satellites" } ?? ""
      return Statement(.good, "The receiver has a \((status["fix"] ?? "").uppercased()) fix\(satellites).")
    case "acquiring":
      guard let count = status["sats"].flatMap({ Int($0) }), count > 0 else {
        return Statement(
          .bad, "The receiver sends data, but uses no satellite.",
          advice:
            "Check that the antenna is connected and has a clear view of the sky. A cold start takes half a minute.")
      }
      if count >= 4 {
        return Statement(
          .bad, "The receiver uses \(count) satellites, and has no position that counts as measured.",
          advice: "It repeats, estimates or withholds its position: see onefix receiver, and onefix decode --stats.")
      }
      return Statement(
        .bad, "The receiver has no fix yet; it uses \(count) satellites and needs four.",
        advice: "Give the antenna a clear view of the sky, away from USB 3 devices and screens, and wait some minutes.")
    case "starting" where status["rejected-fields"] != nil:
      return Statement(
        .bad,
        "The receiver sends sentences with correct checksums, but none with a time and a position that can be read.",
        advice: Self.otherFormat)
    case "starting" where status["wake-ups"] != nil:
      return Statement(
        .bad, "The receiver sends nothing. The gateway sent the wake-up sentences of all makes, and no byte came back.",
        advice: "Check power, that TX and RX are crossed, and that no pin (enable, reset, standby) holds the module."
      )
    case "starting":
      return Statement(
        .bad, "The receiver's port is open, but no valid data arrives.",
        advice: source.hasPrefix("i2c")
          ? "Check the address with i2cdetect and the receiver's manual."
          : "A silent receiver is woken after 3 s, unless configure = false: wait for 15 s, and run onefix doctor again. "
            + "Then check that TX and RX are crossed, and check power and speed. uart:/dev/ttyS0 detects the speed."
      )
    case "absent":
      return Statement(
        .bad, "The receiver is absent.",
        advice: "The log of onefixd shows the cause. Faults of the port are listed below.")
    default: return nil
    }
  }

  var age: Statement? {
    guard status["receiver"] == "ready", status["fix-age"] != "fresh" else { return nil }
    return Statement(
      .bad, "The latest fix is more than two seconds old: a press must wait for the next fix.",
      advice: "Check that the receiver sends at least once a second, and that the line is fast enough.")
  }

  /// Parses a count in the reply to the command `STATUS`; nil if the text is not a number. The result is limited to 0
  /// to 10^12, so that sums and products do not overflow.
  private static func count(_ text: some StringProtocol) -> Int? {
    Int(text).map { min(max($0, 0), 1_000_000_000_000) }
  }

  private var frames: Int? { status["frames"].flatMap { Self.count($0) } }

  /// The counts of errors in the receiver's data, by cause. A cause such as `i2c-timeout` means an error of the I2C
  /// bus.
  private var errors: [(cause: String, count: Int)] {
    (status["errors"] ?? "").split(separator: ",").compactMap { pair -> (cause: String, count: Int)? in
      let parts = pair.split(separator: ":")
      guard parts.count == 2, let count = Self.count(parts[1]) else { return nil }
      return (String(parts[0]), count)
    }
  }

  /// The causes of errors that mean invalid fields in sentences with a correct checksum. The serial connection does not
  /// cause such errors.
  private static let causesOfFields: Set = ["field", "field-count"]

  private static let otherFormat =
    "The line is good; the receiver writes another format. Switch on another sentence with the position (GGA, RMC, GNS, "
    + "GLL), or report the receiver with a recording: onefix decode --stats lists the fields."

  var fields: [Statement] {
    var statements: [Statement] = []
    let rejected = errors.filter { Self.causesOfFields.contains($0.cause) }.reduce(0) { $0 + $1.count }
    if rejected > 0 {
      let share = "\(rejected) sentences have a correct checksum, and a time, position or status that cannot be read"
      let text = share + (faults("rejected-fields").map { " (\($0))." } ?? ".")
      // A splice of two sentences can have a correct checksum, so a few such sentences are not a fault.
      let isMany = rejected * 1000 >= 5 * (frames ?? 0) && rejected > 2
      statements.append(
        isMany
          ? Statement(
            .warning, text,
            advice: Self.otherFormat)
          : Statement(.note, text))
    }
    if let unknown = faults("unknown-fields") {
      statements.append(
        Statement(.note, "The receiver writes fields that cannot be read and that no fix needs (\(unknown))."))
    }
    return statements
  }

  /// Returns the invalid NMEA fields with their counts of errors, as in `GGA field 13: 20`; nil if there are none.
  /// - Parameter key: The name of the list in the reply to the command `STATUS`.
  private func faults(_ key: String) -> String? {
    let names = words(key).map { pair in
      let parts = pair.split(separator: ":", maxSplits: 1)
      let name = parts.first.map { $0.split(separator: ".").joined(separator: " field ") } ?? ""
      return parts.count == 2 ? "\(name): \(parts[1])" : name
    }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }

  var stream: Statement? {
    guard let frames else { return nil }
    let errors = errors.filter { !$0.cause.hasPrefix("i2c-") && !Self.causesOfFields.contains($0.cause) }
    let total = errors.reduce(0) { $0 + $1.count }
    guard frames + total > 0 else { return nil }
    guard total > 0 else { return Statement(.good, "None of \(frames) sentences and frames was corrupt.") }
    let causes = errors.map { "\($0.cause) \($0.count)" }.joined(separator: ", ")
    let share = "\(total) of \(frames + total) sentences and frames were corrupt (\(causes))."
    let worst = errors.max { $0.count < $1.count }?.cause
    // The first sentence after the opening of the port is often incomplete, so a few errors are not a fault.
    guard total * 1000 >= 5 * (frames + total), total > 2 else { return Statement(.note, share) }
    return Statement(.bad, share, advice: corruptionAdvice(frames: frames, worst: worst))
  }

  var bus: Statement? {
    let faults = errors.filter { $0.cause.hasPrefix("i2c-") }
    let total = faults.reduce(0) { $0 + $1.count }
    guard total > 0 else { return nil }
    let causes = faults.map { "\($0.cause.dropFirst(4)) \($0.count)" }.joined(separator: ", ")
    let text = "The receiver's I2C bus failed \(total) times (\(causes))."
    // A few failures are not a fault, because a retry repairs a single failure of the bus without loss of data.
    guard total * 1000 >= 5 * (frames ?? 0), total > 2 else { return Statement(.note, text) }
    return Statement(
      .warning, text,
      advice: "Use shorter wires, stronger pull-ups or 100 kHz. Check whether another program uses the bus.")
  }

  private func corruptionAdvice(frames: Int, worst: String?) -> String {
    if worst == "no-checksum" {
      return
        "Its sentences have no checksum. With checksum = false under [receiver], they are accepted, even corrupt ones."
    }
    if source.hasPrefix("i2c") {
      return "A Raspberry Pi before the 5 reads wrong bits when a receiver stretches the clock: about 20 corrupt "
        + "sentences in 1,000 at 400 kHz. dtoverlay=i2c-gpio avoids them. Otherwise shorten the wires."
    }
    if frames == 0 { return "All data is invalid: the speed is wrong, or the line carries other data." }
    return
      "Check whether another program reads the port. Otherwise use shorter wires, a common ground or another speed."
  }

  var line: Statement? {
    guard status["line"] == "full" else { return nil }
    return Statement(
      .bad, "The receiver sends more data than the line can carry, and drops the rest.",
      advice: "Raise the speed (9600 baud carry 960 bytes a second), or configure fewer messages or a lower rate.")
  }

  var date: Statement? {
    guard status["date"] == "corrected" else { return nil }
    return Statement(
      .warning, "The receiver's date is 1024 weeks behind. The gateway corrects it.",
      advice: "Update the receiver's firmware.")
  }

  var settings: Statement? { status["settings"].flatMap { Self.settings[$0] } }

  private static let settings: [String: Statement] = [
    "unanswered": Statement(
      .warning, "The receiver did not acknowledge its settings.",
      advice: "Check the wire to its RX. If its make has no settings, set configure = false under [receiver]."),
    "partly": Statement(
      .warning, "The receiver rejected some of its settings.",
      advice: "onefix status lists the rejected settings."),
    "refused": Statement(
      .warning, "The receiver rejected every setting.",
      advice: "onefix status lists them. The page on choosing a receiver has the settings of each make."),
  ]

  // MARK: Signals and positions

  var attacks: [Statement] { words("attack").compactMap { Self.attacks[String($0)] } }

  var defects: [Statement] { words("receiver-defects").compactMap { Self.defects[String($0)] } }

  private static let attacks: [String: Statement] = [
    "spoofing": Statement(
      .bad, "The receiver reports false satellite signals: its position may be far from the true one.",
      advice: "Compare the position with a map. Fixes with full accuracy have \"suspect\":\"spoofing\"."),
    "spoofing-suspected": Statement(
      .warning, "The receiver suspects false satellite signals.",
      advice: "Compare the position with a map. A transmitter that repeats satellite signals indoors also causes this."),
    "jump": Statement(
      .warning,
      "The position jumped in the last minute, and the receiver's speed and accuracy do not explain the jump.",
      advice: "Compare the position with a map. Fixes with full accuracy have \"suspect\":\"jump\"."),
    "jamming": Statement(
      .bad, "The receiver reports interference that prevents a fix.",
      advice: "Move the antenna away from transmitters, USB 3 devices and screens."),
    "interference": Statement(
      .warning, "The receiver reports interference, but has a fix.",
      advice: "Move the antenna away from transmitters, USB 3 devices and screens."),
    "none": Statement(.good, "The receiver reports no attack on its signals."),
  ]

  private static let defects: [String: Statement] = [
    "no-speed": Statement(
      .warning, "The receiver reports no speed, so a fix can be late while a vehicle brakes.",
      advice: "Switch on RMC, VTG or NAV-PVT."),
    "repeated-positions": Statement(
      .warning, "The receiver repeats positions although it moves.",
      advice: "Set its rate to the rate of its solutions, and switch off its static navigation."),
    "wrong-speed": Statement(
      .warning, "The receiver's speed contradicts its positions.",
      advice: "Check the dynamic model of the receiver, or update its firmware."),
    "wrong-course": Statement(
      .warning, "The receiver's course contradicts its positions.",
      advice: "Check whether the receiver reports the direction of a compass, or update its firmware."),
  ]

  /// Returns the elements of a list in the reply to the command `STATUS`. Commas separate the elements.
  /// - Parameter key: The name of the list.
  func words(_ key: String) -> [Substring] { (status[key] ?? "").split(separator: ",") }
}
