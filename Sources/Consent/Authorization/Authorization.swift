package import Clocks

/// Who may know where this is: every app's state, what is armed, granted, in use and asked. The contract is
/// `Sources/Documentation/reference/authorization.md`; the letters and numbers in the comments are its rows.
///
/// A pure value: an event goes in, effects come out. It reads no clock and does no I/O; its property tests hold it to
/// the invariants of the contract after every event.
package struct Authorization: Sendable {
  package internal(set) var configuration: Configuration
  package internal(set) var records: [AppID: AppRecord]
  package internal(set) var isLocked: Bool
  package internal(set) var sessions: [SessionID: AppSession] = [:]
  package internal(set) var arms: [RequestID: Arm] = [:]
  package internal(set) var grants: [RequestID: Grant] = [:]
  package internal(set) var updates: [SessionID: Updates] = [:]
  /// What waits for "always" (B5), or seems to.
  var heldStarts: [HeldStart] = []
  var heldRegions: [HeldRegion] = []

  /// Oldest first.
  var openPrompts: [OpenPrompt] = []
  /// Requests for authorization that have no answer yet, by app.
  package internal(set) var asks: [AppID: Ask] = [:]
  /// Nil while the button answers no prompt.
  var turn: ButtonTurn?
  /// Whether a display or an owner surface shows prompts.
  package internal(set) var areSurfacesOpen = false
  var lastPromptID = 0
  /// When the button last ceased to answer a prompt by anything but a press.
  var turnEnded: MonotonicInstant?
  /// When a button's line last changed.
  var lastEdge: MonotonicInstant?
  /// When a fix that a press asked for was last given, or given up.
  var pressFixEnded: MonotonicInstant?
  /// The hold that answered a prompt and threw nothing yet.
  var answeringHold: Hold?
  /// When the lock was thrown; nil where it was before the start.
  var lockThrown: MonotonicInstant?
  var unlocked: MonotonicInstant?
  /// When an app's status or accuracy was last changed: nothing older is given by a standing right.
  var changed: [AppID: MonotonicInstant] = [:]
  /// What keeps a person from seeing the indicator, as last checked.
  var illegible: String?
  var legibilityChecked: MonotonicInstant?

  package init(configuration: Configuration = Configuration(), records: [AppRecord] = [], isLocked: Bool = false) {
    self.configuration = configuration
    self.records = Dictionary(records.map { ($0.app, $0) }) { _, latest in latest }
    self.isLocked = isLocked
    for record in lowered { self.records[record.app] = record }
  }

  /// Takes an event that is handled now. Time never runs backward from one call to the next.
  package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
    var effects: [Effect] = []
    // A press counts from its release: what it found then, it finds.
    if case .pressed(let press, _, _) = event {
      expire(at: press.up, into: &effects)
    } else {
      expire(at: now, into: &effects)
    }
    switch event {
    case .sessionOpened(let session, let app):
      sessions[session] = AppSession(app: app, opened: now)
      showTruth(to: app, at: now, into: &effects)
    case .sessionLost(let session):
      lose(session, at: now, into: &effects)
    case .sessionResumed(let session):
      resume(session, at: now, into: &effects)
    case .sessionEnded(let session):
      end(session, at: now, into: &effects)
    case .stateChanged(let session, let isInBackground):
      move(session, toBackground: isInBackground, at: now, into: &effects)
    case .requested(let request, let session, let timeout, let requiresPress, let isImplicit):
      take(
        request, from: session, timeout: timeout, requiresPress: requiresPress, isImplicit: isImplicit, at: now,
        into: &effects)
    case .cancelled(let session):
      cancel(session, at: now, into: &effects)
    case .started(let request, let session, let background):
      start(request, in: session, background: background, at: now, into: &effects)
    case .stopped(let session):
      stop(session, at: now, into: &effects)
    case .asked(let request, let session, let wish):
      ask(request, in: session, wish, at: now, into: &effects)
    case .regionCrossed(let app, let event):
      cross(event, of: app, at: now, into: &effects)
    case .edge(let instant):
      note(edge: instant)
    case .pressed(let press, let illegible, let showsText):
      note(edge: press.up)
      take(press, illegible: illegible, showsText: showsText, at: now, into: &effects)
    case .held(let hold):
      // It is still down.
      note(edge: now)
      take(hold, at: now, into: &effects)
    case .answered(let id, let answer):
      guard let prompt = prompts.first(where: { $0.id == id }),
        prompt.kind.choices(showsText: answer.showsText).contains(answer.choice)
      else { break }
      self.answer(prompt, answer, by: nil, at: now, into: &effects)
    case .ordered(let order):
      obey(order, at: now, into: &effects)
    case .lockOrdered:
      lock(at: now, into: &effects)
    case .served(let request):
      served(request, at: now)
    case .failed(let request):
      failed(request, at: now)
    case .legibilityChecked(let illegible):
      check(illegible, at: now, into: &effects)
    case .surfacesChanged(let areOpen):
      areSurfacesOpen = areOpen
    case .timePassed:
      break
    }
    showPrompts(at: now, into: &effects)
    askForLegibility(at: now, into: &effects)
    return effects
  }

  private mutating func note(edge: MonotonicInstant) { lastEdge = max(lastEdge ?? edge, edge) }
}
