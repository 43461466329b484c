import AppStandings
import Authorization
import LineProtocol

/// An effect, reduced to the terms of the table in `authorization.md`. Apps are numbers.
enum Outcome: Hashable {
  case saved(app: Int, TableModel.ModelRecord)
  case forgotten(app: Int)
  case savedLock(Bool)
  case accepted(UInt64)
  case acquiring(UInt64)
  case asking(UInt64)
  case presented(UInt64)
  case refused(UInt64, Refusal)
  case ended(UInt64, Ending)
  case served(request: UInt64, session: UInt64, app: Int, right: Right, notBefore: Int64, expires: Int64)
  case began(request: UInt64, session: UInt64, app: Int, right: Right, background: Bool, notBefore: Int64)
  case withheld(UInt64)
  case erased(app: Int?)
  case pressReported(session: UInt64?, PressNotification)
  case announced(app: Int)
  case announcedLock(Bool)
  case crossingSent(app: Int, RegionEvent)
  case ownersNotified(app: Int, RegionEvent)
  case sessionEnded(UInt64)
  case shown(app: Int, Prompt.Kind, at: Int64, until: Int64)
  case closed(app: Int, PromptClosing)
  case rightEnded(app: Int, AuthorizationStatus, back: AuthorizationStatus)
  case answerRecorded(app: Int, Prompt.Kind, PromptChoice, FixAccuracy?)
  case blipped(Blip)
  case legibilityRequested
}

/// An event in the terms of the model. Times are in nanoseconds.
enum ModelEvent: Hashable {
  case opened(session: UInt64, app: Int)
  case lost(session: UInt64)
  case resumed(session: UInt64)
  case left(session: UInt64)
  case moved(session: UInt64, background: Bool)
  case requested(UInt64, session: UInt64, timeout: Int64, needsPress: Bool, kind: RequestKind)
  case cancelled(session: UInt64)
  case started(UInt64, session: UInt64, background: Bool)
  case stopped(session: UInt64)
  case asked(UInt64, session: UInt64, RequestedAuthorization)
  case crossed(app: Int, RegionEvent)
  case edge(Int64)
  case pressed(button: Int, down: Int64, up: Int64, illegible: Bool, text: Bool)
  case held(button: Int, down: Int64, multiple: Int)
  case answered(prompt: Int, Answer)
  case setStatus(app: Int, AuthorizationStatus, length: Int64? = nil)
  case setAccuracy(app: Int, FixAccuracy)
  case use(app: Int)
  case reset(app: Int)
  case lockOrdered
  case served(UInt64)
  case failed(UInt64)
  case legible(Bool)
  case surfaces(Bool)
  /// The light shows a one-time use from now on until this time.
  case used(until: Int64)
  /// The gateway learned for which time the machine has slept since its start. The clock of the model does not count
  /// this time.
  case slept(total: Int64)
  case timePassed
}

// The parts of the model.
extension TableModel {
  /// The object that a mark can be on. (A9)
  enum Target: Hashable { case prompt(Int), request(UInt64) }

  /// The saved record of an app.
  struct ModelRecord: Hashable {
    var status: AuthorizationStatus
    var isConfirmed: Bool
    var accuracy: FixAccuracy
    var isProvisional = false
    var seesAlwaysUntil: Int64?
    var upgradeAsked = false
    var pauseUntil: Int64?
    var pauseLength: Int64?
    var turn: Int64?
    /// The end of the status, by the clock that also counts sleep, and the status and the provisional state that come
    /// back. (D6)
    var end: Int64?
    var back: AuthorizationStatus?
    var isBackProvisional = false

    var seesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
  }

  struct App {
    var kept: ModelRecord
    var isRestricted: Bool
    var isDisplay: Bool
    var changed = never
    /// The time for which users could answer its prompts in vain, since the latest answer or pause.
    var seen: Int64 = 0
    /// The arms: at most one explicit arm, and one implicit arm for each session.
    var arms: [Armed] = []

    var status: AuthorizationStatus { isRestricted ? .restricted : kept.status }
    /// The prompt that a press opens. (A1, A4)
    var kindOfPrompt: Prompt.Kind? {
      switch status {
      case .notDetermined: kept.isConfirmed ? nil : .confirm
      case .denied: .introduce
      case .whenInUse, .always, .restricted: nil
      }
    }
  }

  struct Armed: Hashable {
    var request: UInt64
    var session: UInt64
    var since: Int64
    var until: Int64
    var kind: RequestKind

    var isImplicit: Bool { kind != .explicit }
    /// Whether the client gets its fix only when it polls.
    var isPolled: Bool { kind == .polling }
    /// Whether the gateway made the request for an output that gets a fix by each press.
    var isForOutput: Bool { kind == .eachPress }
  }

  struct Client {
    var number: UInt64
    var app: Int
    var opened: Int64
    var isAway = false
    var isBehind = false
    var usedSince: Int64?
    var lastAct = never
    /// The used grace period, the instant up to which it was counted, and whether it is running.
    var graceSpent: Int64 = 0
    var graceCounted = never
    var once: FixAccuracy?
    var isPrecise = false

    var isSpending: Bool { isAway || isBehind && usedSince != nil }
  }

  /// A fix or updates in progress for a session, or ones that only appear so to the app.
  struct Activity {
    enum Kind { case pressFix, fix, updates, updatesBehind, apparentFix, apparentUpdates, apparentUpdatesBehind }
    var kind: Kind
    var request: UInt64
    var client: UInt64
    var app: Int
    var right: Right?
    /// The instant at which it ends without a fix.
    var until: Int64?
    /// The instant at which it ends in every case. (C3)
    var last: Int64?
    var isPolled = false

    var isApparent: Bool { kind == .apparentFix || kind == .apparentUpdates || kind == .apparentUpdatesBehind }
    var isUpdates: Bool { kind == .updates || kind == .updatesBehind }
    var wantsOneFix: Bool { kind == .pressFix || kind == .fix || kind == .apparentFix }
    var isStanding: Bool { kind == .fix || isUpdates }
  }

  struct ModelPrompt {
    var number: Int
    var app: Int
    var kind: Prompt.Kind
    /// The press that opened the prompt, and the arm that the prompt is about.
    var press: (button: Int, down: Int64, up: Int64)?
    var arm: Armed?
    /// The session that asked.
    var client: UInt64?
    var shown: Int64
    var until: Int64
    var first: (button: Int, up: Int64)?
    var isListed = false
    var hadTurn = false
    var wasShown = false
    /// The time for which a user could answer the prompt, and the instant since which a user can.
    var seen: Int64 = 0
    var seenSince: Int64?

    var isAsked: Bool { client != nil }
    var due: Int64 { min(until, first.map { $0.up + 400 * millisecond } ?? until) }
  }
}
