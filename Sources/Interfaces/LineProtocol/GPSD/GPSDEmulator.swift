package import Base

/// The emulation of gpsd, or of a receiver that sends NMEA sentences, for one client.
///
/// For the gateway, the client is a session of an app. A client of gpsd requests fixes with commands. For a client of
/// NMEA sentences, the connection itself is the request.
///
/// The emulator is a pure state machine: the caller passes the time, and sends the returned lines. Each fix is
/// converted to reports or sentences immediately, so that no position is stored.
package struct GPSDEmulator: Sendable {
  private enum Stage: Hashable {
    /// The emulator has not asked the gateway to open a session.
    case unknown
    case introducing
    case introduced
  }

  /// The state of the client's request at the gateway. The associated number is also in the tag of the command, so the
  /// emulator can ignore the reply to an earlier request.
  private enum Request: Hashable {
    case none
    /// The gateway has no request of the client. The emulator makes a new request at the instant `until` or later.
    case waiting(until: MonotonicInstant)
    /// The emulator has requested updates (repeated fixes), and waits for the reply. The value numbers the request.
    case starting(Int)
    case updating(Int)
    /// The emulator has requested a single fix, and waits for the reply. The value is the number of the request.
    case asking(Int)
    case armed(Int)
  }

  /// The interval at which the emulator tells the client that the receiver has no fix.
  package static let reportInterval = Duration.seconds(1)
  /// The maximum time for which the gpsd command `?POLL` waits for a fix. Most receivers send a fix each second.
  package static let pollTimeout = Duration.milliseconds(1200)
  /// The time without a fix, during updates, after which the emulator reports that the receiver has no fix.
  private static let updateReportInterval = Duration.seconds(3)

  /// The minimum time between a request that ended without a fix and the next request. The gateway can require a longer
  /// time (`retry-after`).
  private static let resumptionPause = Duration.seconds(10)
  /// The maximum count of waiting commands `?POLL`. A further command is answered immediately, without a fix.
  private static let mostPolls = 8

  private let gateway: String
  private let isApp: Bool
  private let sentences: [NMEASentence]
  /// Whether the client uses the protocol of gpsd. If false, the client receives only NMEA sentences.
  private let isGPSD: Bool
  private var stage = Stage.unknown
  private var watch = Watch()
  private var request = Request.none
  private var watches = 0
  /// Whether the app has a permanent authorization, so that updates (repeated fixes) need no press of the button.
  private var isStanding = false
  /// Whether the app may receive positions, and not only names of places (named circles on the ground). The protocols
  /// of gpsd and NMEA have no such names.
  private var hasPositions = true
  /// Whether the app's authorization is `denied` or `restricted`, so that the gateway accepts no request of the client.
  private var isDenied = false
  /// Whether the kill switch of the gateway is active, so that no app receives a location.
  private var isLocked = false
  /// The deadline for the answer to the gpsd command `?POLL`; nil if no `?POLL` is pending.
  package private(set) var pollDeadline: MonotonicInstant?
  /// The count of commands `?POLL` that wait for the same fix.
  private var waitingPolls = 0
  private var lastReport: MonotonicInstant?

  /// Creates the emulator of gpsd.
  /// - Parameters:
  ///   - gateway: The name of the gateway, for the version report.
  ///   - isApp: Whether the client belongs to an app. A client without an app never receives a fix.
  package init(gateway: String, isApp: Bool) {
    self.gateway = gateway
    self.isApp = isApp
    sentences = NMEASentence.usual
    isGPSD = true
  }

  /// Creates the emulator of a receiver that sends NMEA sentences.
  ///
  /// - Parameters:
  ///   - sentences: The types of the NMEA sentences for each fix, in the order in which the client receives them.
  ///   - isApp: Whether the client belongs to an app. A client without an app never receives a fix.
  package init(sentences: [NMEASentence], isApp: Bool) {
    gateway = ""
    self.isApp = isApp
    self.sentences = sentences
    isGPSD = false
  }

  /// Begins the conversation with the client. The caller must call this function once, before all other functions.
  package mutating func begin(at now: MonotonicInstant) -> Outcome {
    if isGPSD { return Outcome(lines: [greeting]) }
    watch.apply(WatchSettings(nmea: true))
    return Outcome(orders: arm(at: now))
  }

  private var greeting: String { GPSDReply.version(gateway: gateway) }

  /// Whether the client gets fixes only as answers to the gpsd command `?POLL`.
  package var isPolled: Bool { watch.isPolled }

  /// Whether the gateway must keep the fix of a press of the button until the client sends the gpsd command `?POLL`.
  package var isHeld: Bool { watch.isPolled && pollDeadline == nil && isWaitingForPress }

  // MARK: Input from the client

  package mutating func handle(_ asked: GPSDRequest, at now: MonotonicInstant) -> Outcome {
    switch asked {
    case .version: Outcome(lines: [greeting])
    case .devices: Outcome(lines: [GPSDReply.devices])
    case .device: Outcome(lines: [GPSDReply.deviceReport])
    case .watch(nil): Outcome(lines: [GPSDReply.devices, GPSDReply.watch(watch)])
    case .watch(let settings?): handle(settings, at: now)
    case .poll: poll(at: now)
    case .invalid(let name): refuse("Invalid \(name): the argument must be a JSON object, as in {\"enable\":true}")
    case .unknown(let name): refuse("Unrecognized request '\(name)'")
    }
  }

  /// Returns the line with the reason of a refusal for a gpsd client. For an NMEA client the result has no line,
  /// because NMEA has no sentence for a reason.
  package func refuse(_ text: String) -> Outcome { Outcome(lines: isGPSD ? [GPSDReply.error(text)] : []) }

  private mutating func handle(_ settings: WatchSettings, at now: MonotonicInstant) -> Outcome {
    let wasPolled = watch.isPolled
    watch.apply(settings)
    var outcome = Outcome(lines: [GPSDReply.devices, GPSDReply.watch(watch)])
    if isWatching {
      // A new request informs the gateway that the client now polls, or no longer polls.
      if watch.isPolled != wasPolled, isWaitingForPress { outcome.orders = disarm() }
      outcome.orders += arm(at: now)
      if !hasPositions { outcome.lines += refuse(Self.placeless).lines }
    } else {
      outcome.orders = disarm()
    }
    return outcome
  }

  private var isWatching: Bool { watch.isPushed || watch.isPolled }

  /// The error text for a client whose app may receive names of places (named circles on the ground), but no positions.
  private static let placeless = "this protocol has no names of places (another accuracy gives positions)"

  /// Requests a fix or updates (repeated fixes) from the gateway, if no request exists. Without a request, a press of
  /// the button gives no fix to the client.
  ///
  /// - Parameter once: Whether to request a single fix even if the app may receive updates.
  private mutating func arm(once: Bool = false, at now: MonotonicInstant) -> [Order] {
    guard isApp, !isRequested else { return [] }
    switch stage {
    case .unknown:
      stage = .introducing
      return [.introduce(tag: Self.introduction)]
    case .introducing: return []
    case .introduced:
      // A press of the button could give no fix to the client, so the app must not wait for a press.
      guard hasPositions, !isDenied else {
        request = .waiting(until: now)
        return []
      }
      watches += 1
      return isStanding && !once ? [start()] : [requestOnce()]
    }
  }

  /// Whether the gateway has a request of the client for a fix or for updates (repeated fixes).
  private var isRequested: Bool {
    switch request {
    case .none, .waiting: false
    case .starting, .updating, .asking, .armed: true
    }
  }

  private var isWaitingForPress: Bool {
    switch request {
    case .asking, .armed: true
    case .none, .waiting, .starting, .updating: false
    }
  }

  private mutating func start() -> Order {
    request = .starting(watches)
    return .perform(.startUpdates(UpdatesRequest()), tag: updateTag)
  }

  private mutating func requestOnce() -> Order {
    request = .asking(watches)
    return .perform(.requestOnce(OnceRequest()), tag: onceTag)
  }

  private mutating func disarm() -> [Order] {
    defer { request = .none }
    switch request {
    case .none, .waiting: return []
    case .starting, .updating: return [.perform(.stopUpdates, tag: Self.other)]
    case .asking, .armed: return [.perform(.cancel, tag: Self.other)]
    }
  }

  private mutating func poll(at now: MonotonicInstant) -> Outcome {
    let mayCome =
      switch request {
      case .updating, .starting: true
      // The request of a client that has just sent `?WATCH` is about to begin.
      case .none where stage == .introducing: watch.isPolled
      // The answer must not show whether the app is denied, so a client without a request gets its answer at the same
      // time as a client with a pending request.
      case .armed, .asking, .waiting: watch.isPolled
      case .none: false
      }
    guard mayCome, waitingPolls < Self.mostPolls else { return Outcome(lines: [GPSDReply.poll(watch, nil)]) }
    waitingPolls += 1
    guard pollDeadline == nil else { return Outcome() }
    pollDeadline = now + Self.pollTimeout
    if case .armed = request { return Outcome(orders: [.fetch]) }
    return Outcome()
  }

  /// Returns the answers to all waiting commands `?POLL`. Only the first answer has a single fix.
  private mutating func answerPolls(with position: Position?, isOnce: Bool) -> [String] {
    defer { (pollDeadline, waitingPolls) = (nil, 0) }
    return (0..<waitingPolls).map { GPSDReply.poll(watch, isOnce && $0 > 0 ? nil : position) }
  }

  /// Processes the passing of time: answers a `?POLL` whose deadline has passed, reports that no fix has arrived, and
  /// makes a new request that is due. The caller must call this function each second.
  package mutating func tick(at now: MonotonicInstant) -> Outcome {
    var outcome = Outcome()
    if let deadline = pollDeadline, deadline <= now {
      outcome.lines += answerPolls(with: nil, isOnce: false)
    }
    if case .waiting(let instant) = request, instant <= now, !isLocked { outcome.orders = arm(at: now) }
    if watch.isPushed, lastReport.map({ now - $0 >= leastInterval }) ?? true {
      lastReport = now
      if watch.wantsReports { outcome.beat.append(GPSDReply.noFix) }
      if watch.nmea { outcome.beat.append(NMEASentence.noFix) }
    }
    return outcome
  }

  /// The time after a report from which the next report is due.
  private var leastInterval: Duration {
    // Without updates, a report is due slightly before `reportInterval` has passed, because the timer may call `tick`
    // slightly early.
    if case .updating = request { Self.updateReportInterval } else { Self.reportInterval * 9 / 10 }
  }

  // MARK: Input from the gateway

  private static let introduction = "@hello"
  private static let other = "@other"
  private var updateTag: String { "@updates-\(watches)" }
  private var onceTag: String { "@once-\(watches)" }

  package mutating func handle(_ line: ServerLine, at now: MonotonicInstant) -> Outcome {
    switch line {
    case .ok(Self.introduction?, let fields): introduced(fields, at: now)
    case .ok(let tag?, _): accepted(tag)
    case .error(let error, nil, _), .error(let error, Self.introduction?, _): refuse(error.text)
    case .error(let error, let tag?, let fields):
      ended(tag, error, retryAfter: fields["retry-after"].flatMap { Int($0) }, at: now)
    case .message(let message): handle(message, at: now)
    case .ok(nil, _), .info, .ping, .pong: Outcome()
    }
  }

  private mutating func introduced(_ fields: ServerLine.Fields, at now: MonotonicInstant) -> Outcome {
    guard stage == .introducing else { return Outcome() }
    stage = .introduced
    note(status: fields["authorization"], accuracy: fields["accuracy"])
    var outcome = Outcome()
    if !hasPositions {
      outcome = refuse(Self.placeless)
      outcome.orders.append(.warn("cannot give a client fixes: \(Self.placeless)"))
    }
    // gpsd's protocol has no acknowledgements, so the fixes have quality of service 0.
    for (topic, quality) in [(Topic.fixOnce, 0), (.authorization, nil), (.indicator, nil)] {
      guard let filter = try? TopicFilter(topic.rawValue) else { continue }
      outcome.orders.append(
        .perform(.subscribe(filter, sid: "gpsd-\(outcome.orders.count)", qos: quality), tag: Self.other))
    }
    if isWatching { outcome.orders += arm(at: now) }
    return outcome
  }

  private mutating func note(status: String?, accuracy: String?) {
    isStanding = status == "whenInUse" || status == "always"
    isDenied = status == "denied" || status == "restricted"
    hasPositions = accuracy != FixAccuracy.place.rawValue
  }

  private mutating func accepted(_ tag: String) -> Outcome {
    switch request {
    case .starting(let number) where tag == updateTag: request = .updating(number)
    case .asking(let number) where tag == onceTag: request = .armed(number)
    case .none, .waiting, .starting, .updating, .asking, .armed: break
    }
    return Outcome()
  }

  /// Processes an error reply to a request. In most cases, the emulator makes a new request after a pause.
  ///
  /// - Parameter retryAfter: The minimum pause in seconds that the gateway requires; nil if the gateway requires none.
  private mutating func ended(
    _ tag: String, _ error: LineError, retryAfter: Int?, at now: MonotonicInstant
  ) -> Outcome {
    // After the kill switch, the emulator only waits for the unlock.
    let pause = error.code == .locked ? Duration.zero : Self.resumptionPause
    let again = Request.waiting(until: now + max(pause, .seconds(retryAfter ?? 0)))
    // The message with the new status can come after the end of the request.
    if error.code == .denied || error.code == .restricted { isDenied = true }
    switch request {
    case .starting where tag == updateTag:
      // The app's permanent authorization permits no updates now. A press of the button can still give a single fix.
      switch error.code {
      case .notDetermined, .notInUse: return Outcome(orders: [requestOnce()])
      default: request = again
      }
    case .updating where tag == updateTag:
      request = error.code == .notInUse ? .none : again
      // A client that sends no commands cannot request updates again. The emulator therefore requests a single fix. The
      // press for this fix brings the app into use again, and the emulator then requests updates.
      if !isGPSD, error.code == .notInUse { return Outcome(orders: arm(once: true, at: now)) }
    case .asking where tag == onceTag, .armed where tag == onceTag:
      // After 24 h without a press, the emulator makes no new request until the client asks again.
      request = error.code == .noPress ? .none : again
    case .none, .waiting, .starting, .updating, .asking, .armed: break
    }
    return Outcome()
  }

  private mutating func handle(_ message: ServerLine.Message, at now: MonotonicInstant) -> Outcome {
    switch Topic(rawValue: message.topic) {
    case .authorization?:
      let (wasStanding, wasDenied) = (isStanding, isDenied)
      let authorization = JSONValue(message.json.utf8)
      note(status: authorization?["status"]?.string, accuracy: authorization?["accuracy"]?.string)
      // The app is no longer denied, so the emulator makes a new request.
      if wasDenied, !isDenied, !isLocked, case .waiting = request { return Outcome(orders: arm(at: now)) }
      return Outcome(orders: wasStanding && isRequested ? [] : resume())
    case .indicator?:
      isLocked = JSONValue(message.json.utf8)?["state"]?.string == "locked"
      if case .waiting(let instant) = request, instant <= now, !isLocked { return Outcome(orders: arm(at: now)) }
      return Outcome()
    case .fixOnce?:
      // The reply to a request comes before the fix. A fix without a reply belongs to a cancelled request.
      guard case .armed = request else { return Outcome() }
      request = .none
      var outcome = report(message.json, isOnce: true, at: now)
      outcome.orders = resume()
      return outcome
    case .fixUpdates?:
      guard case .updating = request else { return Outcome() }
      return report(message.json, isOnce: false, at: now)
    case .buttonPress?, .receiver?, .regions?, .ownerPrompt?, .ownerNotification?, .ownerApps?, .ownerButton?,
      .ownerLog?, .ownerRegions?, .ownerPlaces?, .ownerSessions?, .ownerSky?, .ownerMetrics?, nil:
      return Outcome()
    }
  }

  /// Requests updates (a new fix at intervals) for a client of NMEA sentences, if the app of the client needs no press
  /// of the button. Such a client cannot send the request itself.
  private mutating func resume() -> [Order] {
    guard !isGPSD, isStanding, hasPositions, stage == .introduced else { return [] }
    switch request {
    case .starting, .updating: return []
    case .none, .waiting, .asking, .armed:
      watches += 1
      return [start()]
    }
  }

  /// Returns the lines for the client about a new fix. A single fix is sent once: as the answer to `?POLL`, or as a
  /// report for `?WATCH`. A fix of updates (repeated fixes) can be sent in both ways.
  private mutating func report(_ json: String, isOnce: Bool, at now: MonotonicInstant) -> Outcome {
    guard let position = Position(json: json) else { return Outcome() }
    var outcome = Outcome()
    if pollDeadline != nil {
      outcome.lines += answerPolls(with: position, isOnce: isOnce)
      if isOnce { return outcome }
    } else if watch.isPolled, !isOnce {
      // This client receives a fix of updates only as the answer to `?POLL`, and no `?POLL` is pending.
      return outcome
    }
    if outcome.lines.isEmpty || watch.isPushed {
      lastReport = now
      if !watch.isPushed || watch.wantsReports {
        outcome.lines.append(position.tpv)
        if let sky = position.sky { outcome.lines.append(sky) }
      }
      if watch.isPushed, watch.nmea { outcome.lines += NMEASentence.lines(of: json, sentences) }
    }
    return outcome
  }
}
