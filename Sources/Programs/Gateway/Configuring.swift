import Clocks
import Hardware
import LineProtocol
import Logging
import UBX

/// The receiver's configuration: bytes go out beside the reading, and never hold it up.
extension Gateway {
  /// Runs a port that bytes may be sent to while it is open.
  func run(_ port: any BytePort) async throws {
    let (commands, outgoing) = AsyncStream.makeStream(of: [UInt8].self)
    self.outgoing = outgoing
    // Ends with this function, at the latest.
    async let _: Void = send(commands)
    defer {
      outgoing.finish()
      self.outgoing = nil
    }
    try await port.run(
      opened: { await self.receiverOpened() },
      { bytes, arrived in await self.received(bytes, at: arrived) })
  }

  /// One after the other, so that they are sent in order.
  private nonisolated func send(_ commands: AsyncStream<[UInt8]>) async {
    guard let port = commandPort else { return }
    var isTold = false
    for await bytes in commands {
      do {
        try await port.send(bytes)
      } catch {
        // It is asked again, and in the end found to be unanswered.
        if !isTold {
          loggers.receiver.warning("a command could not be sent to the receiver", metadata: ["cause": "\(error)"])
        }
        isTold = true
      }
    }
  }

  /// Takes a step of the configuration, where there is one.
  func configure(_ step: (inout ReceiverSetup) -> [UInt8]) {
    guard var receiverSetup else { return }
    let wasRunning = receiverSetup.isRunning
    let bytes = step(&receiverSetup)
    let news = receiverSetup.takeNews()
    let isNew = receiverSetup.isRunning && !wasRunning
    let settings = receiverSetup.settings
    let before = self.receiverSetup?.report
    self.receiverSetup = receiverSetup
    if isNew { warnOfLoad(settings) }
    if !bytes.isEmpty { outgoing?.yield(bytes) }
    if let news { tell(news, of: settings, before: before) }
  }

  /// What is said at the start where settings cannot be sent.
  func noteUnsentSettings() {
    guard setup.receiverSettings != nil, commandPort == nil else { return }
    loggers.receiver.notice(
      "the receiver is not configured",
      metadata: [
        "cause": "\(setup.receiver.name) takes no settings",
        "remedy": "leave out rate, messages, constellations and dynamic_model in [receiver], or use uart: or i2c:",
      ])
  }

  private func tell(_ news: ReceiverSetup.News, of settings: ReceiverSettings, before: ConfigurationReport?) {
    switch news {
    case .restless:
      loggers.receiver.warning(
        "the receiver restarts again and again and is left as it is",
        metadata: ["remedy": "is its power stable? else see which setting it does not bear, in [receiver]"])
    case .finished(let report):
      // The same again is no news.
      let level: Logger.Level = report == before ? .info : .notice
      guard let version = report.version else {
        loggers.receiver.log(
          level: level, "the receiver does not answer and works on unconfigured",
          metadata: [
            "remedy": "is its input connected, and is it a u-blox? else say configure = false in [receiver]"
          ])
        return
      }
      var metadata: Logger.Metadata = ["receiver": "\(version.model ?? version.software)"]
      for (name, outcome) in ConfigurationReport.names {
        let settings = report.list(outcome, of: settings)
        if !settings.isEmpty { metadata[name] = "\(settings.joined(separator: ","))" }
      }
      let isRefusing = report.applied.isEmpty && !report.notApplied.isEmpty
      loggers.receiver.log(
        level: level,
        isRefusing ? "the receiver took no setting and works on unconfigured" : "the receiver is configured",
        metadata: metadata)
    }
  }

  // MARK: The line

  /// Once: settings that would make the receiver say more than its line carries.
  private func warnOfLoad(_ settings: ReceiverSettings) {
    guard !hasToldLoad, let port = commandPort, let capacity = port.lineCapacity else { return }
    hasToldLoad = true
    guard let expected = settings.expectedBytesPerSecond, expected > Double(capacity) else { return }
    loggers.receiver.warning(
      "the receiver is to say more than its line carries: it will drop what does not fit",
      metadata: load(Int(expected), capacity))
  }

  /// Notes what has come.
  func noteLoad(_ count: Int, at arrived: MonotonicInstant) {
    guard let port = commandPort else { return }
    guard lineLoad.take(count, at: arrived, capacity: { port.lineCapacity }), let capacity = port.lineCapacity,
      let rate = lineLoad.rate
    else { return }
    loggers.receiver.warning(
      "the receiver's line is full: the receiver drops what does not fit", metadata: load(Int(rate), capacity))
  }

  private func load(_ rate: Int, _ capacity: Int) -> Logger.Metadata {
    let faster =
      setup.receiver.name.hasPrefix("i2c:") ? "a bus of 400 kHz, or a UART" : "a higher baud rate on both sides"
    return [
      "bytes-per-second": "\(rate)", "line-carries": "\(capacity)",
      "remedy": "fewer messages or a lower rate (see [receiver] in onefix.toml), or \(faster)",
    ]
  }

  // MARK: What owners see

  /// What became of the settings, for `status`.
  func addReceiverFields(to fields: inout ServerLine.Fields) {
    if reception.condition.isDateCorrected { fields["date"] = "corrected" }
    if lineLoad.isSaturated { fields["line"] = "full" }
    guard let receiverSetup else { return }
    guard !receiverSetup.isRunning, let report = receiverSetup.report else {
      fields["settings"] = receiverSetup.isRunning ? "asking" : "waiting"
      return
    }
    guard let version = report.version else {
      fields["settings"] = "unanswered"
      return
    }
    fields["model"] = version.model
    fields["settings"] = report.notApplied.isEmpty ? "applied" : report.applied.isEmpty ? "refused" : "partly"
    for (name, outcome) in ConfigurationReport.names where outcome != .applied {
      let settings = report.list(outcome, of: receiverSetup.settings)
      if !settings.isEmpty { fields["settings-\(name)"] = settings.joined(separator: ",") }
    }
  }
}

extension ConfigurationReport {
  fileprivate static let names: [(String, Outcome)] = [
    ("applied", .applied), ("refused", .refused), ("unanswered", .unanswered),
  ]

  fileprivate func list(_ outcome: Outcome, of settings: ReceiverSettings) -> [String] {
    entries.filter { $0.outcome == outcome }.map { settings.name(of: $0.setting) }
  }
}
