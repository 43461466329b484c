package import Base
package import LineProtocol

/// The state machine that decides which app may receive locations. Its rules are the rows A1 to D6 of
/// `Sources/Documentation/reference/authorization.md`.
///
/// The type is a value: `handle` takes an event and returns effects, without a clock and without I/O. Property tests
/// check the invariants of that page after every event.
package struct Authorization: Sendable {
  /// The count of handled events. Permissions of apps change only when this count changes.
  package private(set) var revision: UInt64 = 0
  package internal(set) var configuration: Configuration { didSet { areMarksOutdated = true } }
  package private(set) var records: [AppID: AppRecord] { didSet { areMarksOutdated = true } }
  /// The highest value of `AppRecord.lastServed` of all apps; 0 if no press of the button has served an app.
  private(set) var lastServed: Int64
  package internal(set) var isLocked: Bool
  package internal(set) var sessions = Expiring<SessionID, AppSession>()
  package internal(set) var arms = Expiring<RequestID, Arm>() { didSet { areMarksOutdated = true } }
  package internal(set) var grants = Expiring<RequestID, Grant>()
  package internal(set) var updates = Expiring<SessionID, Updates>()
  /// The sessions that receive continuous updates. The key is the identifier of the request that started the updates.
  var updatedSessions: [RequestID: SessionID] = [:]
  /// The requests for fixes or updates that wait for the user's decision about the authorization "always". After a
  /// refusal, a request stays in the array until its timeout, so that the app does not notice the refusal
  /// (authorization reference, row B5).
  var deferredStarts: [DeferredStart] = []
  /// The entries into regions, and exits from regions, that wait for the user's decision about the authorization
  /// "always" (authorization reference, row B5).
  var deferredCrossings: [DeferredCrossing] = []

  var openPrompts: [OpenPrompt] = []
  /// The total time for which users could answer the prompts about an app without an answer, since the latest answer or
  /// the latest pause.
  var unanswered: [AppID: Duration] = [:]
  /// The requests for authorization that the user has not answered yet, by app.
  package internal(set) var asks = Expiring<AppID, Ask>()
  /// The present period in which a press of the button answers a prompt (a question to the user); nil if a press
  /// answers no prompt.
  var turn: ButtonTurn? { didSet { areMarksOutdated = true } }
  /// The effect of the next press of each button: the prompt that the press answers, or the requests that the press
  /// serves. The key is the name of a button that serves only named apps. All other buttons share the key nil
  /// (authorization reference, row A9).
  var marks: [String?: Mark] = [:]
  /// The instant at which `moveMarks` last ran; nil before the first run.
  var marksMoved: MonotonicInstant?
  /// Whether `marks` must be computed again.
  var areMarksOutdated = true
  /// The next instant at which the prompts (questions to the user) about an app are no longer paused; nil if no app has
  /// a pause. From then on, a press of a button can open a prompt for a waiting request.
  var nextPauseEnd: MonotonicInstant?
  /// Whether at least one display, owner's console or owner's web page shows prompts (questions to the user).
  package internal(set) var areSurfacesOpen = false
  /// The latest instant at which the indicator (the LED) stops showing a one-time use of the location. Before this
  /// instant, the button answers no prompt (no question to the user).
  package internal(set) var useShownUntil = MonotonicInstant(nanoseconds: .min)
  var lastPromptID: Int
  var lastEdge: MonotonicInstant?
  /// The instant at which the latest fix for a press of the button was delivered, or its delivery failed; nil before
  /// the first of these events.
  var pressFixEnded: MonotonicInstant?
  /// The latest hold of a button (a press of some seconds), if this hold answered a prompt without a lock of the
  /// gateway; otherwise nil. If the user keeps the button down for twice the hold time, the hold then locks the
  /// gateway.
  var answeringHold: Hold?
  /// The instant at which the gateway was locked; nil if the gateway is not locked, or was locked before the start of
  /// the daemon.
  var lockThrown: MonotonicInstant?
  /// The instant at which the gateway was last unlocked; nil before the first unlock of this run of the daemon.
  var lastUnlock: MonotonicInstant?
  /// The instant of the latest change of an app's authorization status or accuracy since the start of the daemon, by
  /// app. A fix without a press of the button must not be older than this instant.
  var lastChanged: [AppID: MonotonicInstant] = [:]
  /// The instants at which temporary authorizations end, by app (authorization reference, row D6).
  var timeLimits: [AppID: BootInstant] = [:]
  /// The total time for which the machine was suspended since its boot. The monotonic clock does not count this time.
  package internal(set) var suspended: Duration = .zero
  /// The instant of the latest change of `suspended`. No authorization ends before this instant, so that no end is
  /// earlier than an event that was already handled.
  var lastResumed = MonotonicInstant(nanoseconds: .min)
  var activities = Activities()
  /// The apps whose activity must be computed again after the current event, in addition to the apps with changed
  /// sessions, grants, updates or requests for authorization.
  var touched: Set<AppID> = []
  /// The apps that the current event has already told their authorization. An event tells an app its authorization at
  /// most once.
  var announced: Set<AppID> = []
  /// The reason why the indicator (the LED) was not visible at the latest check; nil if the indicator was visible, or
  /// was not checked yet.
  var illegible: String?
  var legibilityChecked: MonotonicInstant?

  package init(
    configuration: Configuration = Configuration(), records: [AppRecord] = [], isLocked: Bool = false,
    lastPromptID: Int = 0
  ) {
    self.lastPromptID = lastPromptID
    self.configuration = configuration
    self.records = Dictionary(records.map { ($0.app, $0) }) { _, latest in latest }
    self.isLocked = isLocked
    lastServed = self.records.values.lazy.compactMap(\.lastServed).max() ?? 0
    timeLimits = self.records.compactMapValues { $0.timeLimit?.end }
    for record in recordsToLower { store(record) }
  }

  /// Replaces the record of an app in memory, without a write to the disk.
  mutating func store(_ record: AppRecord) {
    records[record.app] = record
    lastServed = max(lastServed, record.lastServed ?? 0)
    timeLimits[record.app] = record.timeLimit?.end
  }

  mutating func removeRecord(of app: AppID) {
    let isLast = records.removeValue(forKey: app)?.lastServed == lastServed
    if isLast { lastServed = records.values.lazy.compactMap(\.lastServed).max() ?? 0 }
    timeLimits[app] = nil
  }

  /// Handles an event, and returns the effects to apply, in order. The instant `now` must not be earlier than in the
  /// previous call.
  package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
    revision += 1
    announced = []
    var effects: [Effect] = []
    // A press takes effect at the release of the button. Requests and prompts that expired before the release must end
    // first.
    if case .pressed(let press, _, _) = event {
      expire(at: press.up, into: &effects)
    } else {
      expire(at: now, into: &effects)
    }
    let expired = Effect.storedFirst(effects)
    effects = []
    switch event {
    case .sessionOpened(let session, let app):
      sessions[session] = AppSession(app: app, opened: now)
      showRealStatus(to: app, at: now, into: &effects)
    case .sessionLost(let session):
      disconnect(session, at: now, into: &effects)
    case .sessionResumed(let session):
      resume(session, at: now, into: &effects)
    case .sessionEnded(let session):
      end(session, at: now, into: &effects)
    case .stateChanged(let session, let isInBackground):
      setBackground(session, to: isInBackground, at: now)
    case .requested(let request, let session, let timeout, let requiresPress, let kind):
      handleRequest(
        request, from: session, timeout: timeout, requiresPress: requiresPress, kind: kind, at: now, into: &effects)
    case .cancelled(let session):
      cancel(session, at: now, into: &effects)
    case .started(let request, let session, let background):
      start(request, in: session, background: background, at: now, into: &effects)
    case .stopped(let session):
      stop(session, at: now, into: &effects)
    case .asked(let request, let session, let requested):
      handleAuthorizationRequest(request, in: session, requested, at: now, into: &effects)
    case .regionCrossed(let app, let event):
      handleCrossing(event, of: app, at: now, into: &effects)
    case .edge(let instant):
      recordEdge(at: instant)
    case .pressed(let press, let illegible, let showsText):
      recordEdge(at: press.up)
      handlePress(press, illegible: illegible, showsText: showsText, at: now, into: &effects)
    case .held(let hold):
      // At this moment the user still holds the button. So the present counts as the instant of the last edge.
      recordEdge(at: now)
      handleHold(hold, at: now, into: &effects)
    case .answered(let id, let answer):
      // A prompt that opened during this event was not displayed yet, so its number was guessed.
      guard let open = openPrompts.first(where: { $0.prompt.id == id && $0.isListed }),
        open.prompt.kind.choices(showsText: answer.showsText).contains(answer.choice)
      else { break }
      self.answer(open.prompt, answer, by: nil, at: now, into: &effects)
    case .ordered(let order):
      apply(order, at: now, into: &effects)
    case .lockOrdered:
      lock(at: now, into: &effects)
    case .served(let request):
      recordServed(request, at: now)
    case .failed(let request):
      recordFailed(request, at: now)
    case .legibilityChecked(let illegible):
      applyLegibility(illegible, at: now, into: &effects)
    case .surfacesChanged(let areOpen):
      areSurfacesOpen = areOpen
    case .useShown(let end):
      useShownUntil = max(useShownUntil, end)
    case .resumed(let total):
      resume(suspended: total, at: now, into: &effects)
    case .timePassed:
      break
    }
    showPrompts(at: now, into: &effects)
    moveMarks(at: now)
    requestLegibilityCheck(at: now, into: &effects)
    updateActivities()
    return expired + Effect.storedFirst(effects)
  }

  private mutating func recordEdge(at instant: MonotonicInstant) { lastEdge = max(lastEdge ?? instant, instant) }
}
