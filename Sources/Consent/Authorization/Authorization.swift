package import Clocks

/// The state machine that decides which app may receive locations. Its rules are in
/// `Sources/Documentation/reference/authorization.md`. Codes such as A1 or D5 in the comments are the rows of that
/// page.
///
/// The type is a value: `handle` takes an event and returns effects. The state machine reads no clock and does no I/O.
/// Property tests check the invariants of that page after every event.
package struct Authorization: Sendable {
  package internal(set) var configuration: Configuration
  package internal(set) var records: [AppID: AppRecord]
  package internal(set) var isLocked: Bool
  package internal(set) var sessions: [SessionID: AppSession] = [:]
  package internal(set) var arms: [RequestID: Arm] = [:]
  package internal(set) var grants: [RequestID: Grant] = [:]
  package internal(set) var updates: [SessionID: Updates] = [:]
  /// Requests for fixes, and requests to start updates, that the gateway holds until the user answers the prompt that
  /// asks for the authorization "always". If the user refuses, the requests stay in this list until they time out, so
  /// that the app does not notice the refusal. (B5)
  var deferredStarts: [DeferredStart] = []
  /// The region events (the device entered or left a region) that the gateway holds until the user answers the prompt
  /// that asks for the authorization "always". (B5)
  var deferredCrossings: [DeferredCrossing] = []

  /// The open prompts, oldest first.
  var openPrompts: [OpenPrompt] = []
  /// The requests for authorization that are not answered yet, by app.
  package internal(set) var asks: [AppID: Ask] = [:]
  /// The prompt that the button answers now, and the period in which the button answers this prompt; nil if the button
  /// answers no prompt now.
  var turn: ButtonTurn?
  /// Whether prompts are shown anywhere: on a display, on an owner's console or on an owner's page.
  package internal(set) var areSurfacesOpen = false
  var lastPromptID = 0
  /// The end of the last period in which the button could answer a prompt. If a period ends because a press answers the
  /// prompt, this instant does not change.
  var turnEnded: MonotonicInstant?
  /// The instant of the last change of a button's electrical level.
  var lastEdge: MonotonicInstant?
  /// The instant at which the gateway last delivered a fix that a press permitted, or gave up the delivery of such a
  /// fix.
  var pressFixEnded: MonotonicInstant?
  /// The last hold of a button, if this hold answered a prompt and did not activate the kill switch. If the user
  /// continues this hold until it lasts twice the hold time, this hold also activates the kill switch.
  var answeringHold: Hold?
  /// The instant of the lock; nil if the gateway is not locked, or if it was locked in an earlier run of the daemon.
  var lockThrown: MonotonicInstant?
  /// The instant of the last unlock; nil if no user unlocked the gateway in this run of the daemon.
  var lastUnlock: MonotonicInstant?
  /// The instant of the last change of each app's status or accuracy. A standing authorization gives only fixes that
  /// are newer than this change.
  var lastChanged: [AppID: MonotonicInstant] = [:]
  /// The result of the last check: the reason why a user cannot see the indicator; nil if a user can see the indicator.
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
    // A press takes effect when the user releases the button. Some requests and prompts expired before the release, so
    // they must end first.
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
      // When a hold takes effect, the user is still touching the button. The gateway therefore records the present as
      // the instant of the last edge, although no edge occurs now.
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
