import Authorization
import Base
import Decoding
import Disclosure
import Glibc
import Hardware
import LineProtocol
import OperatingSystem
import Ports

// The state of the gateway for owners, without a position.
extension Router {
  /// The name of the present indication (the pattern of the LED), or `locked` while the kill switch is on.
  var indicationName: String {
    authorization.isLocked ? Indication.locked.rawValue : disclosures.indicator.shown.rawValue
  }

  /// Returns the fields of the reply to the command `STATUS` of an owner (administrator).
  func ownerStatus(at now: ClockReading) -> ServerLine.Fields {
    let condition = receiver.condition
    var fields: ServerLine.Fields = [
      "gateway": dependencies.names.gateway, "board": dependencies.names.board,
      "server": "onefix/\(dependencies.names.version)",
      "receiver": condition.state.rawValue,
    ]
    fields["fix"] = condition.mode?.name
    fields["sats"] = condition.satellitesUsed.map { "\($0)" }
    if condition.isDateCorrected { fields["date"] = "corrected" }
    fields["attack"] = condition.signals.words.fieldValue
    fields["receiver-defects"] = condition.defects.map(\.rawValue).sorted().fieldValue
    for (name, value) in receiver.fields { fields[name] = value }
    fields["indicator"] = indicationName
    let phases = disclosures.indicator.pattern.phases
    fields["indicator-pattern"] = phases.map { "\(Int($0 / .milliseconds(1)))" }.fieldValue
    fields["indicator-fault"] = disclosures.indicator.visibilityRestriction?.rawValue
    fields["sound-fault"] = sound.fault.map { "\($0.kind)" }
    fields["button-fault"] = buttons.faults
    fields["receiver-power-fault"] = receiver.supplyFault
    fields["locked"] = "\(authorization.isLocked)"
    let prompt = authorization.prompt ?? authorization.prompts.first
    fields["prompt"] = prompt.map { "\($0.id)" }
    fields["prompt-app"] = prompt?.app.name
    fields["sessions"] = "\(sessions.count)"
    fields["watchers"] = watchers.filter { $0.value > 0 }.fieldValue
    fields["armed"] = authorization.arms.apps.sorted().map(\.name).fieldValue
    fields["each-press"] = authorization.eachPressApps.map(\.name).fieldValue
    fields["next"] = buttonMarks.fieldValue
    lastPress.add(to: &fields)
    fields["last-press-time"] = lastPress.instant.flatMap { time(of: $0, at: now) }?.iso8601
    addOutputs(to: &fields, at: now)
    listeners.addStatus(to: &fields) { time(of: $0, at: now) }
    fields["restart-for"] = configuration.waiting.fieldValue
    fields["apps-off"] = configuration.policy.appsWithoutUser.sorted().map(\.name).fieldValue
    addHealth(to: &fields, at: now)
    disclosures.log.addStatus(to: &fields)
    return fields
  }

  /// The targets of the next press of each button: ids of apps as in `ferry`, or a prompt (a question to the user) as
  /// in `#7`. If the board has several buttons, the name of the button comes first, as in `main:ferry` (row A9 of the
  /// authorization reference).
  private var buttonMarks: [String] {
    let names = dependencies.buttons.map(\.profile.name)
    return names.flatMap { name in
      let prompt = authorization.markedPrompt(of: name).map { ["#\($0.id)"] }
      let marks = prompt ?? authorization.markedApps(of: name).map(\.name)
      return names.count > 1 ? marks.map { "\(name):\($0)" } : marks
    }
  }

  /// Returns whether the next press of a button will give the app its fix (row A9 of the authorization reference, mark
  /// of a button).
  func isMarked(_ app: AppID) -> Bool {
    dependencies.buttons.contains { authorization.isMarked(app, by: $0.profile.name) }
  }

  /// The counts of sessions of clients that only receive, such as gpsd clients. The key is the name of the transport.
  private var watchers: [String: Int] {
    let transports = Transport.allCases.filter(\.isForWatching)
    return Dictionary(
      uniqueKeysWithValues: transports.map { transport in
        (transport.rawValue, sessions.count(over: transport))
      })
  }

  /// Adds the fields about faults of the gateway and of the GNSS receiver to the reply to the command `STATUS`.
  private func addHealth(to fields: inout ServerLine.Fields, at now: ClockReading) {
    // The value of a field is one word, so a path with spaces is left out.
    if !dependencies.receiver.source.name.contains(where: \.isWhitespace) {
      fields["source"] = dependencies.receiver.source.name
    }
    fields["uid"] = "\(geteuid())"
    fields["fix-age"] = receiver.latest.map {
      now.monotonic - $0.arrived <= Authorization.Bounds.oldestEpoch ? "fresh" : "old"
    }
    let counts = receiver.current
    if counts.frames + counts.errors.values.reduce(0, +) > 0 { fields["frames"] = "\(counts.frames)" }
    let faults = dependencies.receiver.source.commandPort?.faults
    fields["errors"] = [counts.errors.fieldValue, faults?.fieldValue].compactMap(\.self).fieldValue
    fields["rejected-fields"] = list(counts.rejectedFields)
    fields["unknown-fields"] = list(counts.unknownFields)
    var warnings = dependencies.warnings
    warnings += disclosures.log.lowApps(at: now.monotonic).map { "log-busy:\($0)" }
    warnings += disclosures.log.rightsWarnings
    if let fault = clockFault(at: now) { warnings.append(fault.rawValue) }
    // An owner can change the accuracy of an app while the daemon runs. `onefixd check` knows only the configuration.
    if knownApps.contains(where: { authorization.accuracy(of: $0) < .full }) {
      warnings += receiver.reducedWarnings
    }
    fields["warnings"] = warnings.fieldValue
  }

  /// The maximum count of elements in one field, so that the reply stays short.
  private static let mostFields = 10

  /// Returns the largest counts as the value of a field, the largest count first; nil if the dictionary is empty.
  private func list(_ counts: [String: Int]) -> String? {
    counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostFields)
      .map { "\($0.key):\($0.value)" }.fieldValue
  }

  /// Adds the fields about the outputs to the reply to the command `STATUS`. The keys begin with `mqtt-1`, `mqtt-2` and
  /// so on for brokers, with `output-1` and so on for files, web servers and serial ports, and with `absent-output-1` and
  /// so on for outputs that do not run.
  private func addOutputs(to fields: inout ServerLine.Fields, at now: ClockReading) {
    var counts: [String: Int] = [:]
    for sink in disclosures.outbox.sortedSinks {
      let kind = sink.isBroker ? "mqtt" : "output"
      counts[kind, default: 0] += 1
      let key = "\(kind)-\(counts[kind, default: 0])"
      fields[key] = sink.form.address
      fields[key + "-app"] = sessions.session(on: sink.connection)?.app.name
      fields[key + "-state"] = sink.isConnected ? "connected" : "disconnected"
      fields[key + "-version"] = sink.version?.rawValue
      fields[key + "-fault"] = sink.fault?.rawValue
      fields[key + "-detail"] = sink.detail
      fields[key + "-since"] = time(of: sink.since, at: now)?.iso8601
      fields[key + "-waiting"] = "\(disclosures.outbox.count(of: sink.form.name))"
      if disclosures.outbox.refusal(for: sink.connection) != nil { fields[key + "-full"] = "true" }
      if sink.heldUntil != nil { fields[key + "-subscriber"] = "awaited" }
      fields[key + "-undelivered"] = sink.undelivered.fieldValue
      fields[key + "-ignored"] = sink.ignored.fieldValue
    }
    for (index, output) in disclosures.outbox.absentOutputs.prefix(Self.mostFields).enumerated() {
      fields["absent-output-\(index + 1)"] = output.address
      fields["absent-output-\(index + 1)-waiting"] = "\(output.count)"
    }
  }

  /// Returns the state of the gateway for the text line that the service manager shows to every user of the machine.
  func statusLine(at now: ClockReading) -> StatusLine {
    StatusLine(
      // A receiver whose power is switched can be found absent only when an app is served.
      isReceiverAbsent: receiver.condition.state == .absent && !receiver.hasSupply, isLocked: authorization.isLocked,
      // A light that does not light becomes known only when an app is served.
      restriction: disclosures.indicator.lastingRestriction, isButtonAbsent: buttons.isAnyAbsent,
      // An authorization that waits for its fix is no fault, and would show a press.
      listenersClosed: listeners.closedCount, isUnsaved: disclosures.log.isUnsaved,
      log: disclosures.log.upkeep.condition,
      // The time of the receiver is left out, because the receiver has no time without a fix.
      isClockUnset: disclosures.log.upkeep.clockFault(at: now, received: nil) != nil,
      configuration: configuration.note)
  }

  /// Returns the present state of the gateway, for a screen that draws it.
  /// - Parameter entries: The maximum count of entries of the disclosure log (the log of fixes sent to apps).
  func snapshot(entries: Int, at now: ClockReading) -> Snapshot {
    let prompt = authorization.prompt ?? authorization.prompts.first
    let marked = dependencies.buttons.flatMap { authorization.markedRequests(of: $0.profile.name) }
    return Snapshot(
      status: ownerStatus(at: now), language: configuration.policy.language,
      receiver: receiver.condition, indication: disclosures.indicator.visible(at: now.monotonic),
      isLit: disclosures.indicator.isLit, colour: disclosures.indicator.colour, isLocked: authorization.isLocked,
      press: buttons.progress(at: now.monotonic),
      question: prompt.map {
        Snapshot.Question(
          text: question($0), ways: ways(of: $0, at: now.monotonic),
          left: authorization.answerDeadline(of: $0) - now.monotonic)
      },
      waiting: authorization.sortedArms.map {
        Snapshot.Waiting(
          app: $0.app, since: utc(of: $0.accepted, at: now), purpose: sessions[$0.session]?.request?.options.purpose,
          isNext: marked.contains($0))
      },
      paused: authorization.pausedApps(at: now.monotonic).map { configuration.policy.name(of: $0) },
      log: disclosures.log.entries(newest: entries))
  }

  // MARK: Metrics

  /// The metrics of the daemon. Only owners (administrators) may read the metrics, because some values depend on the
  /// location, for example the time to the first fix.
  var exposition: Exposition {
    var families = ownFamilies + metrics.families + receiverFamilies
    families += receiver.clockFamilies
    families += logFamilies + outputFamilies + listeners.families + [appFamily]
    families += dependencies.metrics()
    return Exposition(families)
  }

  private var ownFamilies: [MetricFamily] {
    let restrictions = Dictionary(
      uniqueKeysWithValues: LegibilityProblem.allCases.map {
        ($0.rawValue, $0 == disclosures.indicator.visibilityRestriction ? 1 : 0)
      })
    return [
      .gauge("onefix_build_info", "The version.").with(1, [("version", dependencies.names.version)]),
      .gauge("onefix_locked", "Whether the kill switch is on.").with(authorization.isLocked ? 1 : 0),
      .gauge("onefix_sessions", "Sessions of apps.").with(sessions.count),
      .gauge("onefix_watching_sessions", "Sessions of clients that only watch, by transport.")
        .with(watchers, by: "transport"),
      .gauge("onefix_owner_connections", "Connections of owners.").with(owners.count),
      .gauge("onefix_button_good", "Whether a button can be read and is not stuck.").with(
        buttons.goodness, by: "button"),
      .gauge("onefix_updates_running", "Sessions that have updates.").with(authorization.updates.count),
      .gauge("onefix_indicator_restriction", "Why the light cannot be seen: 1 for the reason.")
        .with(restrictions, by: "restriction"),
    ]
  }

  private var receiverFamilies: [MetricFamily] {
    let condition = receiver.condition
    let totals = receiver.totals
    let states = Dictionary(
      uniqueKeysWithValues: ReceiverCondition.State.allCases.map { ($0.rawValue, $0 == condition.state ? 1 : 0) })
    return [
      .gauge("onefix_receiver_state", "The state of the receiver: 1 for the present state, 0 for every other state.")
        .with(states, by: "state"),
      .gauge("onefix_receiver_satellites_used", "Satellites that the fix uses.").with(condition.satellitesUsed),
      .gauge("onefix_receiver_hdop", "Horizontal dilution of precision.").with(condition.hdop),
      .gauge(
        "onefix_receiver_horizontal_accuracy_meters", unit: "meters",
        "Radius of the circle that holds the fix with a probability of 68 percent."
      ).with(receiver.sky.horizontalAccuracy),
      .gauge(
        "onefix_receiver_signal_strength_dbhz", unit: "dbhz",
        "Mean signal strength of the satellites that the fix uses."
      )
      .with(receiver.sky.meanSignalStrength),
      .gauge("onefix_receiver_attack", "Whether there are signs of an attack on the signals, by kind: 1 with signs.")
        .with(condition.signals.signs.mapValues { $0 ? 1 : 0 }, by: "kind"),
      .counter("onefix_receiver_jumps", "Jumps of the position that the receiver did not explain.").with(totals.jumps),
      .counter("onefix_receiver_epochs", "Epochs that the receiver reported.").with(totals.epochs),
      .counter("onefix_receiver_fixes", "Epochs that had a fix.").with(totals.fixes),
      .counter("onefix_receiver_frames", "Sentences and messages that the receiver sent.").with(totals.frames),
      .counter("onefix_receiver_errors", "Damaged data of the receiver, and faults of its bus, by cause.")
        .with(totals.errors.merging(dependencies.receiver.source.commandPort?.allFaults ?? [:]) { $1 }, by: "cause"),
    ]
  }

  private var logFamilies: [MetricFamily] {
    let condition = disclosures.log.upkeep.condition
    let isGood: Int? = condition == .unchecked ? nil : condition.isFaulty ? 0 : 1
    return [
      .histogram(
        "onefix_store_write_seconds", unit: "seconds",
        "Time until the data of a write was on the disk, by kind of write.",
        disclosures.log.writes, by: "write"),
      .counter("onefix_store_write_failures", "Writes that failed, by kind of write.").with(
        disclosures.log.failedWrites, by: "write"),
      .gauge("onefix_log_good", "Whether the log is unchanged, and can be read and written.").with(isGood),
      .gauge("onefix_unsaved_changes", "Changes of rights that could not be written yet.").with(
        disclosures.log.pendingChanges),
    ]
  }

  private var appFamily: MetricFamily {
    let policy = configuration.policy
    return .gauge("onefix_app_on", "Whether an app is on: 0 if its configured user does not exist.")
      .with(
        Dictionary(
          uniqueKeysWithValues: policy.authorization.newAppAccuracy.keys.map { app in
            (app.name, policy.appsWithoutUser.contains(app) ? 0 : 1)
          }), by: "app")
  }

  private var outputFamilies: [MetricFamily] {
    let sinks = disclosures.outbox.sortedSinks
    var ignored = MetricFamily.counter("onefix_broker_ignored_requests", "Messages of a broker that were ignored.")
    for sink in sinks {
      guard let labels = labels(of: sink, "broker") else { continue }
      for (reason, count) in sink.ignored.sorted(by: { $0.key < $1.key }) {
        ignored = ignored.with(count, labels + [("reason", reason)])
      }
    }
    return families(of: sinks.filter(\.isBroker), "broker", "a broker") + [ignored]
      + families(of: sinks.filter { !$0.isBroker }, "output", "a file or a server that gets fixes")
  }

  private func families(of sinks: [Outbox.Sink], _ kind: String, _ description: String) -> [MetricFamily] {
    var connected = MetricFamily.gauge("onefix_\(kind)_connected", "Whether \(description) is connected.")
    var waiting = MetricFamily.gauge("onefix_\(kind)_waiting_fixes", "Fixes that wait for \(description).")
    for sink in sinks {
      guard let labels = labels(of: sink, kind) else { continue }
      connected = connected.with(sink.isConnected ? 1 : 0, labels)
      waiting = waiting.with(disclosures.outbox.count(of: sink.form.name), labels)
    }
    return [connected, waiting]
  }

  /// Returns the labels of the metrics of an output (such as an MQTT broker); nil if the app of the output was removed
  /// from the configuration.
  private func labels(of sink: Outbox.Sink, _ kind: String) -> [(String, String)]? {
    sessions.session(on: sink.connection).map { [("app", metrics.label(of: $0.app)), (kind, sink.form.address)] }
  }
}

extension [String] {
  /// The words, separated by commas, as one field of the reply to the command `STATUS`; nil if the array is empty.
  var fieldValue: String? { isEmpty ? nil : joined(separator: ",") }
}

extension [String: Int] {
  /// The counts as one field of the reply to the command `STATUS`, as in `a:1,b:2`; nil if the dictionary is empty.
  fileprivate var fieldValue: String? { sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.fieldValue }
}
