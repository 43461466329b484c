import Base
import LineProtocol

@testable import OwnerScreens

extension ConsoleSession.Event {
  static func asks(_ number: Int) -> Self {
    .notification(.promptOpened(number: number, choices: ["once", "always", "no"], lines: ["May app\(number) know?"]))
  }

  static func closes(_ number: Int, isByOwner: Bool = true, _ line: String = "withdrawn") -> Self {
    .notification(.promptClosed(number: number, isByOwner: isByOwner, lines: [line]))
  }

  static func tells(_ line: String) -> Self { .notification(.notified([line])) }
}

/// A session with a terminal, a manual clock and a gateway that the test controls.
struct SessionBench {
  static let pin = "2580"

  var session: ConsoleSession
  var terminal: DumbTerminal
  var now = MonotonicInstant(nanoseconds: 1_000_000_000)
  var performed: [(number: Int, verb: OwnerVerb)] = []
  var checks: [(number: Int, pin: String)] = []
  var ends: [ConsoleSession.EndReason] = []
  var begins = 0
  var discards = 0
  /// The output since the last call of `takeWritten`.
  var written: [UInt8] = []

  init(_ settings: ConsoleSession.Settings = .init(gateway: "boat-7"), asksPIN: Bool = false, open: Bool = true) {
    session = ConsoleSession(settings)
    terminal = DumbTerminal(columns: settings.columns)
    if open { handle(.opened(asksPIN: asksPIN)) }
  }

  /// A session without a PIN that has begun.
  static func opened(_ settings: ConsoleSession.Settings = .init(gateway: "boat-7")) -> Self {
    var bench = Self(settings)
    bench.type("\r")
    _ = bench.takeWritten()
    return bench
  }

  var verbs: [OwnerVerb] { performed.map(\.verb) }

  mutating func handle(_ event: ConsoleSession.Event) {
    for effect in session.handle(event, at: now) {
      switch effect {
      case .write(let bytes):
        written += bytes
        terminal.show(bytes)
      case .discardUnsent: discards += 1
      case .checkPIN(let number, let pin): checks.append((number, pin))
      case .perform(let number, let verb): performed.append((number, verb))
      case .begin: begins += 1
      case .end(let reason): ends.append(reason)
      }
    }
  }

  mutating func type(_ text: String) { handle(.bytes(Array(text.utf8))) }

  /// Wakes the session and enters the PIN.
  mutating func begin() {
    type(" ")
    enter(pin: Self.pin)
  }

  /// Enters a PIN and reports the result of its check.
  mutating func enter(pin: String) {
    type("\(pin)\r")
    guard let check = checks.last, check.pin == pin else { return }
    handle(.pinChecked(check.number, isRight: pin == Self.pin))
  }

  /// Advances the clock and sends the timer event if it is due.
  mutating func pass(_ time: Duration) {
    let end = now + time
    while let deadline = session.deadline, deadline <= end {
      now = max(now, deadline)
      handle(.timePassed)
    }
    now = end
  }

  /// Replies to the last verb.
  mutating func reply(_ lines: String...) {
    guard let number = performed.last?.number else { return }
    handle(.replied(number, lines))
  }

  /// Refuses the last verb.
  mutating func refuse() {
    guard let number = performed.last?.number else { return }
    handle(.replied(number, ["too late"], isRefused: true))
  }

  /// Returns the output and clears it.
  mutating func takeWritten() -> String {
    defer { written = [] }
    return String(decoding: written, as: UTF8.self)
  }
}
