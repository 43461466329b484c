package import Clocks

/// The state machine that decides which app may receive locations. Its rules are in
/// `Sources/Documentation/reference/authorization.md`. Codes such as A1 or D5 name the rows of that page.
///
/// The type is a value: `handle` takes an event and returns effects, without a clock and without I/O. Property tests
/// check the invariants of that page after every event.
package struct Authorization: Sendable {
  /// The number of handled events. While it stays the same, no right changes.
  package private(set) var revision: UInt64 = 0
  package internal(set) var configuration: Configuration { didSet { areMarksOutdated = true } }
  package private(set) var records: [AppID: AppRecord] { didSet { areMarksOutdated = true } }
  /// The highest number in the order of service, 0 if no app was served.
  private(set) var lastServed: Int64
  package internal(set) var isLocked: Bool
  package internal(set) var sessions = Expiring<SessionID, AppSession>()
  package internal(set) var arms = Expiring<RequestID, Arm>() { didSet { areMarksOutdated = true } }
  package internal(set) var grants = Expiring<RequestID, Grant>()
  package internal(set) var updates = Expiring<SessionID, Updates>()
  /// The sessions that have updates, by the requests for the updates.
  var updatedSessions: [RequestID: SessionID] = [:]
  /// Requests for fixes or updates that wait for the user's decision about the authorization "always". After a refusal
  /// they stay here until they time out, so that the app does not notice the refusal. (B5)
  var deferredStarts: [DeferredStart] = []
  /// The region events that wait for the user's decision about the authorization "always". (B5)
  var deferredCrossings: [DeferredCrossing] = []

  var openPrompts: [OpenPrompt] = []
  /// The unanswered requests for authorization, by app.
  package internal(set) var asks = Expiring<AppID, Ask>()
  /// The prompt that the button answers now, and since when; nil if the button answers no prompt.
  var turn: ButtonTurn? { didSet { areMarksOutdated = true } }
  /// The marks of the buttons that are bound to named apps, and the mark of all other buttons, whose key is nil. (A9)
  var marks: [String?: Mark] = [:]
  /// The instant up to which the marks are known.
  var marksMoved: MonotonicInstant?
  /// Whether the requests, the records, the configuration or the prompt at the button changed after the last move of
  /// the marks.
  var areMarksOutdated = true
  /// The next end of a pause that keeps the mark from a request; nil if there is none.
  var nextPauseEnd: MonotonicInstant?
  /// Whether a display, an owner's console or an owner's page shows prompts.
  package internal(set) var areSurfacesOpen = false
  var lastPromptID = 0
  var lastEdge: MonotonicInstant?
  /// The instant at which the last fix for a press was delivered, or its delivery was given up.
  var pressFixEnded: MonotonicInstant?
  /// The last hold, if it answered a prompt and did not activate the kill switch. The same hold activates the kill
  /// switch after twice the hold time.
  var answeringHold: Hold?
  /// The instant of the lock; nil if the gateway is not locked, or was locked in an earlier run.
  var lockThrown: MonotonicInstant?
  /// The instant of the last unlock in this run, if any.
  var lastUnlock: MonotonicInstant?
  /// The last change of each app's status or accuracy. Fixes under a standing authorization must be newer.
  var lastChanged: [AppID: MonotonicInstant] = [:]
  /// The activities of the apps, which `handle` updates after each event.
  var activities = Activities()
  /// The apps whose activity may have changed in the present event, in addition to the apps of changed sessions, grants,
  /// updates and requests for authorization.
  var touched: Set<AppID> = []
  /// The apps to which the present event announces their authorization.
  var announced: Set<AppID> = []
  /// The reason why the indicator was not visible at the last check; nil if it was visible.
  var illegible: String?
  var legibilityChecked: MonotonicInstant?

  package init(configuration: Configuration = Configuration(), records: [AppRecord] = [], isLocked: Bool = false) {
    self.configuration = configuration
    self.records = Dictionary(records.map { ($0.app, $0) }) { _, latest in latest }
    self.isLocked = isLocked
    lastServed = self.records.values.lazy.compactMap(\.lastServed).max() ?? 0
    for record in recordsToLower { store(record) }
  }

  /// Stores a record in place of the app's former one.
  mutating func store(_ record: AppRecord) {
    records[record.app] = record
    lastServed = max(lastServed, record.lastServed ?? 0)
    touched.insert(record.app)
  }

  mutating func removeRecord(of app: AppID) {
    let isLast = records.removeValue(forKey: app)?.lastServed == lastServed
    if isLast { lastServed = records.values.lazy.compactMap(\.lastServed).max() ?? 0 }
    touched.insert(app)
  }

  /// Handles an event and returns the effects to apply, in order. The present `now` must never go back.
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
      setBackground(session, to: isInBackground, at: now, into: &effects)
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
      guard let prompt = prompts.first(where: { $0.id == id }),
        prompt.kind.choices(showsText: answer.showsText).contains(answer.choice)
      else { break }
      self.answer(prompt, answer, by: nil, at: now, into: &effects)
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
    case .timePassed:
      break
    }
    showPrompts(at: now, into: &effects)
    moveMarks(at: now)
    requestLegibilityCheck(at: now, into: &effects)
    updateActivities()
    return effects
  }

  private mutating func recordEdge(at instant: MonotonicInstant) { lastEdge = max(lastEdge ?? instant, instant) }
}
