package import Clocks

/// The state of every app's authorization: its record, sessions, arms, grants, updates and prompts. The contract is
/// `Sources/Documentation/reference/authorization.md`; codes such as A1 or D5 in the comments are its rows.
///
/// The type is a value: `handle` takes an event and returns effects. It reads no clock and does no I/O. Property tests
/// check the invariants of the contract after every event.
package struct Authorization: Sendable {
  package internal(set) var configuration: Configuration
  package internal(set) var records: [AppID: AppRecord]
  package internal(set) var isLocked: Bool
  package internal(set) var sessions: [SessionID: AppSession] = [:]
  package internal(set) var arms: [RequestID: Arm] = [:]
  package internal(set) var grants: [RequestID: Grant] = [:]
  package internal(set) var updates: [SessionID: Updates] = [:]
  /// Starts that wait for the user's answer about "always", or that must appear so to the app. (B5)
  var deferredStarts: [DeferredStart] = []
  /// Crossings that wait for the user's answer about "always". (B5)
  var deferredCrossings: [DeferredCrossing] = []

  /// The open prompts, oldest first.
  var openPrompts: [OpenPrompt] = []
  /// The requests for authorization without an answer, by app.
  package internal(set) var asks: [AppID: Ask] = [:]
  /// The prompt that the button answers now; nil if there is none.
  var turn: ButtonTurn?
  /// Whether a display or an owner surface shows prompts.
  package internal(set) var areSurfacesOpen = false
  var lastPromptID = 0
  /// The last instant at which the button stopped answering a prompt for a reason other than a press.
  var turnEnded: MonotonicInstant?
  /// The last change of a button's line.
  var lastEdge: MonotonicInstant?
  /// The last instant at which a fix for a press was delivered or abandoned.
  var pressFixEnded: MonotonicInstant?
  /// The hold that answered a prompt and can still become the kill switch.
  var answeringHold: Hold?
  /// The instant of locking; nil if the lock is from an earlier run.
  var lockThrown: MonotonicInstant?
  /// The instant of the last unlocking; nil if there was none in this run.
  var lastUnlock: MonotonicInstant?
  /// The last change of each app's status or accuracy. A standing authorization gives no fix from before this change.
  var lastChanged: [AppID: MonotonicInstant] = [:]
  /// The restriction that hides the indicator, from the last check; nil if there is none.
  var illegible: String?
  var legibilityChecked: MonotonicInstant?

  package init(configuration: Configuration = Configuration(), records: [AppRecord] = [], isLocked: Bool = false) {
    self.configuration = configuration
    self.records = Dictionary(records.map { ($0.app, $0) }) { _, latest in latest }
    self.isLocked = isLocked
    for record in recordsToLower { self.records[record.app] = record }
  }

  /// Handles an event and returns the effects to apply, in order.
  ///
  /// - Parameter now: The present. It never goes back between two calls.
  package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
    var effects: [Effect] = []
    // A press takes effect at its release, so it meets the state of that instant.
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
    case .requested(let request, let session, let timeout, let requiresPress, let isImplicit):
      handleRequest(
        request, from: session, timeout: timeout, requiresPress: requiresPress, isImplicit: isImplicit, at: now,
        into: &effects)
    case .cancelled(let session):
      cancel(session, at: now, into: &effects)
    case .started(let request, let session, let background):
      start(request, in: session, background: background, at: now, into: &effects)
    case .stopped(let session):
      stop(session, at: now, into: &effects)
    case .asked(let request, let session, let wish):
      handleAuthorizationRequest(request, in: session, wish, at: now, into: &effects)
    case .regionCrossed(let app, let event):
      handleCrossing(event, of: app, at: now, into: &effects)
    case .edge(let instant):
      recordEdge(at: instant)
    case .pressed(let press, let illegible, let showsText):
      recordEdge(at: press.up)
      handlePress(press, illegible: illegible, showsText: showsText, at: now, into: &effects)
    case .held(let hold):
      // The button is still active.
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
    requestLegibilityCheck(at: now, into: &effects)
    return effects
  }

  private mutating func recordEdge(at instant: MonotonicInstant) { lastEdge = max(lastEdge ?? instant, instant) }
}
