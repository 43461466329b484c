import Authorization

/// What is seen from outside, reduced to what the table of `authorization.md` speaks of. Apps are numbers.
enum Outcome: Hashable {
  case saved(app: Int, TableModel.Kept)
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
  case told(session: UInt64?, PressNews)
  case announced(app: Int)
  case announcedLock(Bool)
  case toldRegion(app: Int, RegionEvent)
  case toldOwners(app: Int, RegionEvent)
  case sessionOver(UInt64)
  case shown(app: Int, Prompt.Kind, at: Int64, until: Int64)
  case closed(app: Int, PromptClosing)
  case blipped(Blip)
  case looked
}

/// What happens, in the model's words: times are nanoseconds.
enum Happening: Hashable {
  case opened(session: UInt64, app: Int)
  case lost(session: UInt64)
  case resumed(session: UInt64)
  case left(session: UInt64)
  case moved(session: UInt64, background: Bool)
  case requested(UInt64, session: UInt64, timeout: Int64, needsPress: Bool, implicit: Bool)
  case cancelled(session: UInt64)
  case started(UInt64, session: UInt64, background: Bool)
  case stopped(session: UInt64)
  case asked(UInt64, session: UInt64, Wish)
  case crossed(app: Int, RegionEvent)
  case edge(Int64)
  case pressed(button: Int, down: Int64, up: Int64, illegible: Bool, text: Bool)
  case held(button: Int, down: Int64, multiple: Int)
  case answered(prompt: Int, Answer)
  case setStatus(app: Int, Status)
  case setAccuracy(app: Int, Accuracy)
  case use(app: Int)
  case reset(app: Int)
  case lockOrdered
  case served(UInt64)
  case failed(UInt64)
  case legible(Bool)
  case surfaces(Bool)
  case timePassed
}

// What the model is made of.
extension TableModel {
  /// What survives a restart.
  struct Kept: Hashable {
    var status: Status
    var isConfirmed: Bool
    var accuracy: Accuracy
    var isProvisional = false
    var seesAlwaysUntil: Int64?
    var upgradeAsked = false
    var pauseUntil: Int64?
    var pauseLength: Int64?
    var turn: Int64?

    var believesAlways: Bool { status == .whenInUse && (isProvisional || seesAlwaysUntil != nil) }
  }

  struct App {
    var kept: Kept
    var isRestricted: Bool
    var isDisplay: Bool
    var changed = never
    /// At most one that is explicit, and one that is implicit for each session.
    var arms: [Armed] = []

    var status: Status { isRestricted ? .restricted : kept.status }
    /// A1, A4
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
    var isImplicit: Bool
  }

  struct Client {
    var number: UInt64
    var app: Int
    var opened: Int64
    var isAway = false
    var isBehind = false
    var usedSince: Int64?
    var lastAct = never
    /// Grace that was used up, until when that was counted, and whether it goes on.
    var graceSpent: Int64 = 0
    var graceCounted = never
    var once: Accuracy?
    var isPrecise = false

    var isSpending: Bool { isAway || isBehind && usedSince != nil }
  }

  /// Whatever is under way for a session, or looks to it as if it were.
  struct Thing {
    enum Kind { case pressFix, fix, updates, updatesBehind, seemingFix, seemingUpdates, seemingUpdatesBehind }
    var kind: Kind
    var request: UInt64
    var client: UInt64
    var app: Int
    var right: Right?
    /// It ends here as having found no fix.
    var until: Int64?
    /// It ends here whatever it found. (C3)
    var last: Int64?

    var isSeeming: Bool { kind == .seemingFix || kind == .seemingUpdates || kind == .seemingUpdatesBehind }
    var isUpdates: Bool { kind == .updates || kind == .updatesBehind }
    var wantsOneFix: Bool { kind == .pressFix || kind == .fix || kind == .seemingFix }
    var isStanding: Bool { kind == .fix || isUpdates }
  }

  struct Question {
    var number: Int
    var app: Int
    var kind: Prompt.Kind
    /// The press that opened it, and the arm that the press found.
    var press: (button: Int, down: Int64, up: Int64)?
    var arm: Armed?
    /// The session that asked.
    var client: UInt64?
    var shown: Int64
    var until: Int64
    var first: (button: Int, up: Int64)?
    var isTold = false
    var hadTurn = false
    var wasShown = false
    /// For how long it could be answered, and since when it can.
    var seen: Int64 = 0
    var seenSince: Int64?

    var isAsked: Bool { client != nil }
    var due: Int64 { min(until, first.map { $0.up + 400 * millisecond } ?? until) }
  }
}
