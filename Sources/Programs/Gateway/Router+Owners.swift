import Authorization
import Base
import Decoding
import Glibc
import LineProtocol
import OperatingSystem
import Ports
import StateStore

// Executes the commands of owners.
extension Router {
  /// Executes a command of an owner (administrator). `Gateway` executes the commands that take many steps, such as a
  /// verification of the disclosure log (the log of fixes sent to apps).
  /// - Returns: The list to send as the reply; nil if the reply is already sent.
  /// - Throws: The error for the owner.
  mutating func execute(
    owner command: OwnerCommand, tag: String?, on connection: any ClientConnection, at now: ClockReading
  ) throws -> OwnerList? {
    func acknowledge(_ fields: ServerLine.Fields = [:]) { connection.send(.ok(tag: tag, fields)) }
    switch command {
    case .apps:
      let apps = knownApps
      return OwnerList(topic: .ownerApps, count: apps.count, json: { $0.appJSON(apps[$1], at: now) })
    case .prompts:
      return OwnerList(.ownerPrompt, authorization.prompts.map { promptJSON($0, state: "open", at: now.monotonic) })
    case .counts(let since):
      let counts = try disclosures.log.answers(since: since)
      return OwnerList(topic: .ownerLog, count: counts.count, json: { counts[$1].key.json(count: counts[$1].count) })
    case .answer(let id, let choice, let accuracy, let display):
      // A press that waited for a second press may have answered the prompt by now.
      handle(.timePassed, at: now)
      guard let prompt = authorization.prompts.first(where: { $0.id == id }) else {
        throw LineError(.expired, "prompt \(id) is no longer open")
      }
      let choices = prompt.kind.choices(showsText: true)
      guard choices.contains(choice) else {
        let words = choices.map(\.rawValue).joined(separator: ", ")
        throw LineError(.badArgument, "the answer must be one of: \(words)")
      }
      guard accuracy == nil || prompt.kind.offersAccuracy else {
        throw LineError(.badArgument, "this prompt offers no accuracy (answer without accuracy=)")
      }
      // An owner who answers with a command has seen the text of the prompt.
      let answer = Answer(choice, accuracy: accuracy, showsText: true)
      let way = AnswerWay(of: connection, display.surface)
      handle(.answered(prompt: id, answer), by: way, in: display.language, at: now)
      try requireSaved(prompt.app)
      acknowledge()
    case .set(let name, let setting):
      let app = try knownApp(name)
      switch setting {
      case .status(let status, let duration):
        if let duration { try requireLimit(app, status, for: duration, at: now) }
        handle(.ordered(.setStatus(app, status, for: duration)), at: now)
      case .accuracy(let accuracy): handle(.ordered(.setAccuracy(app, accuracy)), at: now)
      }
      try requireSaved(app)
      acknowledge()
    case .use(let name):
      handle(.ordered(.use(try knownApp(name))), at: now)
      acknowledge()
    case .reset(let name):
      let app = try knownApp(name)
      handle(.ordered(.reset(app)), at: now)
      if appsWithNames.contains(app) { try execute(place: .deny(app: name, names: []), at: now) }
      try requireSaved(app)
      acknowledge()
    case .regions(let name):
      let app = try name.map(knownApp)
      let apps = regions.apps.filter { app == nil || $0 == app }
      let all = apps.flatMap { app in regions.regions(of: app).map { (app, $0) } }
      return OwnerList(
        topic: .ownerRegions, count: all.count, json: { $0.regions.ownerJSON(all[$1].1, of: all[$1].0) })
    case .place(.list): return OwnerList(.ownerPlaces, try placesJSON)
    case .place(let command):
      try execute(place: command, at: now)
      acknowledge()
    case .sessions(let name, let limit, let after):
      let app = try name.map(knownApp)
      let all = app.map { sessions.of($0).map(\.id) } ?? sessions.ids
      let listed = all.filter { $0.number > UInt64(after ?? 0) }.prefix(limit ?? 1000)
      return OwnerList(
        topic: .ownerSessions, count: listed.count,
        json: { router, number in
          router.sessions[listed[listed.startIndex + number]].map { router.sessionJSON($0, at: now) }
        }, fields: ["sessions": "\(all.count)"])
    case .sky:
      let satellites = receiver.sky.satellites.mergedBySatellite
      return OwnerList(.ownerSky, satellites.map(\.json), skyFields)
    case .metrics:
      let lines = exposition.lines
      return OwnerList(
        topic: .ownerMetrics, count: lines.count, json: { _, number in MetricMessage.json { $0.line = lines[number] } })
    case .addKey(let name, let isToken):
      let (app, secret) = try addKey(to: try keyedApp(name), isToken: isToken, at: now)
      acknowledge(["app": app.name, isToken ? "token" : "key": secret.text])
    case .revokeKey(let name):
      let app = try keyedApp(name)
      guard revokeKey(of: app, at: now) else { throw disclosures.log.unsavedError }
      acknowledge(["app": app.name])
    case .reload:
      let waiting: [String]
      do { waiting = try reload(at: now) } catch let error as LineError { throw error } catch {
        let lines = "\(error)".split(separator: "\n").joined(separator: "; ")
        throw LineError(.badArgument, "nothing was changed: \(lines)")
      }
      acknowledge(waiting.isEmpty ? [:] : ["restart-for": waiting.joined(separator: ",")])
    case .page:
      guard let link = dependencies.pageLink?() else {
        if let fault = listeners.fault(of: "page") {
          throw LineError(.internal, "the page is closed: \(fault)")
        }
        throw LineError(.unknownVerb, "this gateway has no page (add [page] to onefix.toml)")
      }
      acknowledge(["link": link.address, "expires": "\(link.lifetime.components.seconds)"])
    case .display(let frame, let prompt):
      guard let module = configuration.policy.display else {
        throw LineError(.unknownVerb, "this gateway has no display (add [display] to onefix.toml)")
      }
      if let frame { owners.note(DisplayedFrame(shown: frame, prompt: prompt), on: connection) }
      acknowledge(module.fields(in: configuration.policy.language))
    case .lock:
      handle(.lockOrdered, at: now)
      if disclosures.log.isLockUnsaved { throw disclosures.log.unsavedError }
      acknowledge(["locked": "true"])
    case .log, .verify, .press, .hold: break
    }
    return nil
  }

  /// Checks that the authorization of an app is saved.
  /// - Throws: The error for the owner (administrator), if a change of the authorization is in force, but could not be
  ///   saved.
  private func requireSaved(_ app: AppID) throws(LineError) {
    if disclosures.log.isUnsaved(app) { throw disclosures.log.unsavedError }
  }

  /// Adds a subscription of an owner (administrator), and sends the present states of the topics that match the filter.
  mutating func subscribe(
    _ owner: any ClientConnection, _ filter: TopicFilter, sid: String, tag: String?, at now: ClockReading
  ) throws(LineError) {
    guard Topic.allCases.contains(where: { filter.matches($0) }) else { throw Self.unknownTopic(filter) }
    try owners.subscribe(owner, filter, sid: sid)
    owner.send(.ok(tag: tag, [:]))
    let prompts = authorization.prompts.map { (Topic.ownerPrompt, promptJSON($0, state: "open", at: now.monotonic)) }
    let states = [(Topic.indicator, JSONObject.text(["state": indicationName])), (.receiver, ownerReceiverJSON)]
    Self.sendRetained(states + prompts, filter, sid, owner)
    if filter.matches(.ownerNotification) { owners.sendKept(to: owner, sid: sid) }
  }

  // MARK: Apps

  /// The apps that an owner (administrator) can see, sorted by id. Such an app is in the configuration, has an
  /// authorization or a session, or is permitted to get the name of a place.
  var knownApps: [AppID] {
    Set(authorization.records.keys).union(sessions.apps).union(configuration.policy.authorization.newAppAccuracy.keys)
      .union(appsWithNames).sorted()
  }

  private func isKnown(_ app: AppID) -> Bool {
    authorization.records[app] != nil || sessions.count(of: app) > 0
      || configuration.policy.authorization.newAppAccuracy[app] != nil || appsWithNames.contains(app)
  }

  /// Returns the app with this name.
  /// - Throws: The error for the owner (administrator), if there is no such app.
  func knownApp(_ name: String) throws(LineError) -> AppID {
    guard let app = AppID(name), isKnown(app) else {
      throw LineError(.badArgument, "no app \(name.prefix(64)) (APPS lists the apps)")
    }
    return app
  }

  /// Returns the state of an app as JSON for owners (administrators).
  func appJSON(_ app: AppID, at now: ClockReading) -> String {
    let record = authorization.record(of: app)
    let ids = sessions.of(app).map(\.id)
    let updates = ids.filter { authorization.updates[$0] != nil }
    // Until this time the app can cause no prompt, because no person answered its last prompt.
    let pause = record.promptPause.flatMap { now.monotonic < $0.until ? $0.until : nil }
    return AppMessage.json {
      $0.app = app.name
      $0.name = configuration.policy.name(of: app)
      $0.status = authorization.status(of: app).rawValue
      $0.shown = shownStatus(of: app).rawValue
      $0.provisional = record.isProvisional
      $0.confirmed = record.isButtonConfirmed
      $0.accuracy = record.accuracy.rawValue
      $0.sessions = sessions.count(of: app)
      $0.armed = authorization.isArmed(app)
      $0.isNext = isMarked(app) ? true : nil
      $0.isForEachPress = authorization.isForEachPress(app) ? true : nil
      $0.isInUse = ids.contains { authorization.isInUse($0) && hasStandingRight($0, of: app) }
      $0.updates = updates.isEmpty ? nil : updates.contains { authorization.isInSight($0) } ? "in-use" : "background"
      $0.pause = pause.map { now.utc(at: $0).iso8601 }
      $0.until = authorization.timeLimit(of: app).map { now.utc(at: $0.end).iso8601 }
      $0.then = authorization.timeLimit(of: app).map { shown($0.formerStatus, of: app).rawValue }
      $0.says = purpose(ofWaiting: app).map(Quotation.contents)
    }
  }

  /// Returns the purpose (a text of the app) of the first request that waits for a press of the button; nil if no
  /// request waits, or if the request has no purpose.
  private func purpose(ofWaiting app: AppID) -> String? {
    guard authorization.isArmed(app), let arm = authorization.sortedArms.first(where: { $0.app == app }) else {
      return nil
    }
    return sessions[arm.session]?.request?.options.purpose
  }

  /// Returns whether a session may get fixes without a press of the button.
  private func hasStandingRight(_ session: SessionID, of app: AppID) -> Bool {
    authorization.visibleStatus(of: app, in: session).allowsRegions
  }

  func shownStatus(of app: AppID) -> StatusPhrase { shown(authorization.status(of: app), of: app) }

  /// Returns the word for a status that owners (administrators) see.
  /// - Parameter status: The present status of the app, or its status after the end of a time limit.
  private func shown(_ status: AuthorizationStatus, of app: AppID) -> StatusPhrase {
    let record = authorization.record(of: app)
    switch status {
    case .denied: return .never
    case .notDetermined:
      return record.isButtonConfirmed || record.lastServed != nil ? .whenIShare : .askNextTime
    case .whenInUse: return .whileUsing
    case .always: return .always
    case .restricted: return .restricted
    }
  }

  private func sessionJSON(_ session: Session, at now: ClockReading) -> String {
    let id = session.id
    return SessionMessage.json {
      // The number of a session is not a secret, but its token is a secret.
      $0.session = Int(clamping: id.number)
      $0.app = session.app.name
      $0.transport = session.transport.rawValue
      $0.peer = "\(session.peer)"
      $0.since = time(of: session.opened, at: now)?.iso8601
      $0.away = session.connection == nil ? true : nil
      $0.armed = session.request != nil
      $0.isInUse = authorization.isInUse(id) && hasStandingRight(id, of: session.app)
      $0.updates = authorization.updates[id] == nil ? nil : authorization.isInSight(id) ? "in-use" : "background"
    }
  }

  private var skyFields: ServerLine.Fields {
    let (condition, sky) = (receiver.condition, receiver.sky)
    var fields: ServerLine.Fields = ["receiver": condition.state.rawValue]
    fields["fix"] = condition.mode?.name
    fields["sats"] = condition.satellitesUsed.map { "\($0)" }
    fields["hdop"] = sky.hdop.map { "\($0)" }
    fields["vdop"] = sky.vdop.map { "\($0)" }
    fields["pdop"] = sky.pdop.map { "\($0)" }
    fields["hacc"] = sky.horizontalAccuracy.map { "\($0)" }
    return fields
  }
}

extension AnswerWay {
  /// Determines the way in which an owner (administrator) answered a prompt (a question to the user). Only a process of
  /// the daemon's own Unix user counts as the console or the page.
  fileprivate init(of connection: any ClientConnection, _ surface: PromptDisplay.Surface?) {
    guard case .process(let user, _) = connection.peer else {
      // The clients of the owners' socket are always processes. The number -1 is never a user of the machine.
      // (POSIX, chown)
      self = .socket(user: .max)
      return
    }
    switch surface {
    case .console where user == geteuid(): self = .console
    case .page where user == geteuid(): self = .page
    case .console, .page, nil: self = .socket(user: user)
    }
  }
}
