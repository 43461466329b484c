import Authorization
import Clocks
import Hardware
import Languages
import LineProtocol
import Ports
import Telemetry
import StateStore

/// What owners say. Lists come as messages, the reply after them says how many.
extension Gateway {
  func perform(_ command: OwnerCommand, tag: String?, on connection: any ClientConnection) async throws {
    switch command {
    case .apps:
      let apps = knownApps
      for app in apps { send(.ownerApps, appJSON(app), to: connection) }
      connection.send(.ok(tag: tag, ["count": "\(apps.count)"]))
    case .prompts:
      let prompts = authorization.prompts
      for prompt in prompts { send(.ownerPrompt, promptJSON(prompt, state: "open"), to: connection) }
      connection.send(.ok(tag: tag, ["count": "\(prompts.count)"]))
    case .log(let since, let app, let limit, let after):
      let entries = try entries(since: since, app: app, limit: limit ?? 1000, after: after)
      for entry in entries { send(.ownerLog, entry.json, to: connection) }
      connection.send(.ok(tag: tag, ["count": "\(entries.count)"]))
    case .verify:
      let (faults, reply) = try await tellVerification(tag: tag)
      for fault in faults { send(.ownerLog, fault, to: connection) }
      connection.send(.ok(tag: tag, reply))
    case .counts(let since):
      let counts = try answers(since: since)
      for (key, count) in counts { send(.ownerLog, key.json(count: count), to: connection) }
      connection.send(.ok(tag: tag, ["count": "\(counts.count)"]))
    case .answer(let id, let choice, let accuracy):
      guard let prompt = authorization.prompts.first(where: { $0.id == id }) else {
        throw LineError(.expired, "prompt \(id) is not open any more")
      }
      let choices = prompt.kind.choices(showsText: true)
      guard choices.contains(choice.choice) else {
        let words = choices.map(\.rawValue).joined(separator: ", ")
        throw LineError(.badArgument, "this prompt is answered by one of: \(words)")
      }
      // Whoever answers here has the text of the prompt before them.
      handle(.answered(prompt: id, Answer(choice.choice, accuracy: accuracy?.accuracy, showsText: true)))
      connection.send(.ok(tag: tag, [:]))
    case .set(let name, let setting):
      let app = try knownApp(name)
      switch setting {
      case .status(let status): handle(.ordered(.setStatus(app, status.status)))
      case .accuracy(let accuracy): handle(.ordered(.setAccuracy(app, accuracy.accuracy)))
      }
      connection.send(.ok(tag: tag, [:]))
    case .use(let name):
      handle(.ordered(.use(try knownApp(name))))
      connection.send(.ok(tag: tag, [:]))
    case .reset(let name):
      handle(.ordered(.reset(try knownApp(name))))
      connection.send(.ok(tag: tag, [:]))
    case .regions(let name):
      tellRegions(of: try name.map(knownApp), tag: tag, to: connection)
    case .sessions(let name, let limit, let after):
      let app = try name.map(knownApp)
      let (shown, count) = sessionObjects(of: app, limit: limit ?? 1000, after: after)
      for session in shown { send(.ownerSessions, session, to: connection) }
      connection.send(.ok(tag: tag, ["count": "\(shown.count)", "sessions": "\(count)"]))
    case .sky:
      let satellites = reception.sky.satellites.mergedBySatellite
      for satellite in satellites { send(.ownerSky, satellite.json, to: connection) }
      connection.send(.ok(tag: tag, skyFields(count: satellites.count)))
    case .metrics:
      let lines = metrics().lines
      for line in lines {
        var object = JSONObject()
        object.add("line", line)
        send(.ownerMetrics, object.text, to: connection)
      }
      connection.send(.ok(tag: tag, ["count": "\(lines.count)"]))
    case .addKey(let name, let isToken):
      let (app, secret) = try addKey(name, isToken: isToken)
      connection.send(.ok(tag: tag, ["app": app.name, isToken ? "token" : "key": secret.text]))
    case .revokeKey(let name):
      let app = try revokeKey(name)
      connection.send(.ok(tag: tag, ["app": app.name]))
    case .reload:
      do {
        let waiting = try reload()
        connection.send(.ok(tag: tag, waiting.isEmpty ? [:] : ["restart-for": waiting.joined(separator: ",")]))
      } catch let error as LineError {
        throw error
      } catch {
        let lines = "\(error)".split(separator: "\n").joined(separator: "; ")
        throw LineError(.badArgument, "nothing was changed: \(lines)")
      }
    case .page:
      guard let link = setup.pageLink?() else {
        throw LineError(.unknownVerb, "this gateway has no page; [page] in onefix.toml gives it one")
      }
      connection.send(.ok(tag: tag, ["link": link.address, "expires": "\(link.seconds)"]))
    case .lock:
      handle(.lockOrdered)
      connection.send(.ok(tag: tag, ["locked": "true"]))
    case .press(let milliseconds, let button):
      let (outcome, release) = try await press(button, for: milliseconds.map { .milliseconds($0) }, isHold: false)
      var reply: ServerLine.Fields = ["effect": outcome.rawValue]
      // CLOCK_MONOTONIC, for whoever measures how long the fix took from there.
      reply["released_ns"] = release.map { "\($0.nanoseconds)" }
      connection.send(.ok(tag: tag, reply))
    case .hold(let button):
      let (outcome, _) = try await press(button, for: nil, isHold: true)
      connection.send(.ok(tag: tag, ["effect": outcome.rawValue]))
    }
  }

  /// The first entries after one, or else the latest: oldest first.
  private func entries(since: UTCTime?, app name: String?, limit: Int, after: Int?) throws -> [LogEntry] {
    let app = name.flatMap { AppID($0) }
    // A name that no app can have has no entries.
    if name != nil && app == nil { return [] }
    if let after { return try store.entries(after: Int64(after), since: since, app: app, limit: limit) }
    return try store.entries(since: since, app: app, newestFirst: true, limit: limit).reversed()
  }

  private func send(_ topic: Topic, _ json: String, to connection: any ClientConnection) {
    connection.send(.message(.init(topic: topic.rawValue, sid: "-", json: json)))
  }

  /// Apps that are configured, have a record or are here, in the order of their ids.
  var knownApps: [AppID] {
    Set(authorization.records.keys).union(sessions.apps).union(policy.authorization.newAppAccuracy.keys)
      .sorted()
  }

  func knownApp(_ name: String) throws(LineError) -> AppID {
    guard let app = AppID(name), knownApps.contains(app) else {
      throw LineError(.badArgument, "there is no app \(name.prefix(64)); APPS lists them")
    }
    return app
  }

  private func appJSON(_ app: AppID) -> String {
    let record = authorization.record(of: app)
    let reading = clock
    var object = JSONObject()
    object.add("app", app.name)
    object.add("name", name(of: app))
    object.add("status", authorization.status(of: app).rawValue)
    object.add("shown", shownStatus(of: app).rawValue)
    object.add("provisional", record.isProvisional)
    object.add("confirmed", record.isButtonConfirmed)
    object.add("accuracy", record.accuracy.rawValue)
    object.add("sessions", sessions.count(of: app))
    object.add("armed", authorization.isArmed(app))
    let sessions = sessions.of(app).map(\.id)
    object.add("in-use", sessions.contains { authorization.isInUse($0) && hasStandingRight($0, of: app) })
    let updates = sessions.filter { authorization.updates[$0] != nil }
    if !updates.isEmpty {
      object.add("updates", updates.contains { authorization.isInSight($0) } ? "in-use" : "background")
    }
    // Until then it may cause no prompt, because nobody answered its last one.
    let pause = record.promptPause.flatMap { reading.monotonic < $0.until ? $0.until : nil }
    object.add("pause", pause.map { reading.utc(at: $0).iso8601 })
    return object.text
  }

  /// Whether a session may have fixes without a press: an app that may not is not in use, whatever it shows.
  func hasStandingRight(_ session: SessionID, of app: AppID) -> Bool {
    switch authorization.visibleStatus(of: app, in: session) {
    case .whenInUse, .always: true
    case .notDetermined, .denied, .restricted: false
    }
  }

  /// As people see it.
  private func shownStatus(of app: AppID) -> StatusPhrase {
    let record = authorization.record(of: app)
    switch authorization.status(of: app) {
    case .denied: return .never
    case .notDetermined:
      return record.isButtonConfirmed || record.lastServed != nil ? .whenIShare : .askNextTime
    case .whenInUse: return .whileUsing
    case .always: return .always
    case .restricted: return .restricted
    }
  }

  var ownerStatus: ServerLine.Fields {
    let condition = reception.condition
    var fields: ServerLine.Fields = [
      "gateway": setup.gateway, "board": setup.board, "server": "onefix/\(setup.version)",
      "receiver": condition.state.rawValue,
    ]
    fields["fix"] = condition.mode?.name
    fields["sats"] = condition.satellitesUsed.map { "\($0)" }
    addReceiverFields(to: &fields)
    fields["indicator"] = indicationName
    fields["indicator-fault"] = indicator.restriction?.rawValue
    fields["button-fault"] = buttonFaults
    // A field is one word; the log has the rest.
    fields["receiver-power-fault"] = (supply?.fault?.kind).map { "\($0)" }
    fields["locked"] = "\(authorization.isLocked)"
    let prompt = authorization.prompt ?? authorization.prompts.first
    fields["prompt"] = prompt.map { "\($0.id)" }
    fields["prompt-app"] = prompt?.app.name
    fields["sessions"] = "\(sessions.count)"
    let armed = Set(authorization.arms.values.map(\.app)).sorted().map(\.name).joined(separator: ",")
    if !armed.isEmpty { fields["armed"] = armed }
    addBridges(to: &fields)
    addHealth(to: &fields)
    addLogStatus(to: &fields)
    return fields
  }
}

extension LogEntry {
  /// One entry as owners read it. No entry has coordinates.
  package var json: String {
    var object = JSONObject()
    object.add("entry", sequence)
    object.add("time", time.iso8601)
    object.add("app", app.name)
    switch event {
    case .disclosure(let disclosure):
      object.add("event", "disclosure")
      disclosure.add(to: &object)
    case .interval(let disclosure):
      object.add("event", "interval")
      disclosure.add(to: &object)
    case .end(let end, let fixes, let opening):
      object.add("event", "end")
      object.add("of", opening)
      object.add("outcome", end.rawValue)
      object.add("fixes", fixes)
    case .outcome(let outcome, let disclosure):
      object.add("event", "outcome")
      object.add("of", disclosure)
      object.add("outcome", outcome.rawValue)
    }
    return object.text
  }
}

extension DisclosureEntry {
  fileprivate func add(to object: inout JSONObject) {
    object.add("accuracy", accuracy.rawValue)
    object.add("right", right.rawValue)
    object.add("transport", transport)
    object.add("simulated", isSimulated ? true : nil)
    object.add("late", isLate ? true : nil)
  }
}

extension PromptChoice {
  fileprivate var choice: Prompt.Choice {
    switch self {
    case .yes: .yes
    case .once: .once
    case .whileUsing: .whileUsing
    case .always: .always
    case .keep: .keep
    case .no: .no
    }
  }
}

extension FixAccuracy {
  fileprivate var accuracy: Accuracy {
    switch self {
    case .full: .full
    case .reduced: .reduced
    }
  }
}

extension StandingStatus {
  fileprivate var status: Status {
    switch self {
    case .notDetermined: .notDetermined
    case .denied: .denied
    case .whenInUse: .whenInUse
    case .always: .always
    }
  }
}
