package import Base
package import LineProtocol

/// The state machine of the console, with which an owner (administrator) sends commands to the gateway. Its events come
/// from the terminal and from the gateway.
///
/// One state machine serves one port (a serial port or a terminal) for many sessions in succession. Any key starts a
/// session, which asks for the PIN and has an empty history.
package struct ConsoleSession: Sendable {
  package struct Settings: Hashable, Sendable {
    package var language: Language
    /// The width of the terminal in columns, at least 20.
    package var columns: Int
    package var gateway: String
    /// Whether the console writes its greeting when the port opens. If false, the console writes the greeting after the
    /// first key press.
    package var greetsAtOnce: Bool

    package init(language: Language = .english, columns: Int = 80, gateway: String = "", greetsAtOnce: Bool = false) {
      self.language = language
      self.columns = max(20, columns)
      self.gateway = gateway
      self.greetsAtOnce = greetsAtOnce
    }
  }

  package enum Event: Hashable, Sendable {
    case opened(asksPIN: Bool)
    case bytes([UInt8])
    case breakCondition
    case hangUp
    /// The output buffer of the port is full, because the terminal does not read.
    case outputFull
    case pinChecked(Int, isRight: Bool)
    /// The result of the command with this number, as lines of text. If `isRefused` is true, the lines contain the
    /// reason of the refusal.
    case replied(Int, [String], isRefused: Bool = false)
    case notification(ConsoleNotification)
    /// The fix that a press of the button gave to the app of this port, as lines of text. Any person at the port may
    /// read the fix, also without the PIN.
    case fix([String])
    case appsUpdated(apps: [String])
    case timePassed
  }

  package enum Effect: Hashable, Sendable {
    case write([UInt8])
    case discardUnsent
    case checkPIN(Int, String)
    case perform(Int, OwnerVerb)
    case begin
    case end(EndReason)
  }

  package enum EndReason: String, Hashable, Sendable {
    case quit
    case endOfInput
    case breakCondition
    case hangUp
    case idle
    case outputFull
  }

  /// The time without input after which a session ends.
  package static let idleTime = Duration.seconds(300)
  static let mostUnread = 20
  /// The maximum count of bytes that are stored while a command is executed.
  static let inputBufferSize = 256

  enum State: Hashable, Sendable {
    case closed
    /// The port is open, and the console waits for the first key press of a session.
    case waiting
    case askingPIN(SecretEntry)
    case checkingPIN
    case delayed(until: MonotonicInstant)
    case editing
    case performing
  }

  let settings: Settings
  var state = State.closed
  var delay = PINDelay()
  var editor: LineEditor
  private var asksPIN = true
  private var lastInput = MonotonicInstant(nanoseconds: 0)
  /// The number of the last PIN check or command. The result of an earlier PIN check or command is ignored.
  var number = 0
  var bufferedInput: [TypedByte] = []
  /// The open prompts (questions to the user), oldest first. The list includes prompts that opened while no session was
  /// open.
  var openPrompts: [ConsoleNotification] = []
  /// The notifications that arrived while no session was open. Only the newest `mostUnread` notifications are kept.
  var unread: [ConsoleNotification] = []
  /// The identifier of the newest prompt (a question to the user) at the time when the user began the present line; nil
  /// if no prompt was open. An answer without an identifier is for this prompt.
  var promptAtLineStart: Int?
  /// The identifier of the prompt (a question to the user) that this session has answered; nil if this session has
  /// answered no prompt. The session shows no notification about this prompt, because the reply already has the result.
  var answered: Int?
  var isAnswering = false
  /// The lines of the notification that an owner (administrator) answered the same prompt (question to the user) as
  /// this session; empty without a notification. The lines are shown only if the gateway refuses the answer of this
  /// session.
  var heldLines: [String] = []
  var vocabulary: Vocabulary
  var effects: [Effect] = []

  package init(_ settings: Settings) {
    self.settings = settings
    editor = ConsoleSession.newEditor(settings)
    vocabulary = Vocabulary(others: LocalVerb.allCases.map(\.rawValue))
  }

  private static func newEditor(_ settings: Settings) -> LineEditor {
    LineEditor(prompt: "onefix> ", columns: settings.columns)
  }

  /// The instant at which the caller must send the event `timePassed`; nil if there is no deadline.
  package var deadline: MonotonicInstant? {
    switch state {
    case .closed, .waiting, .checkingPIN: nil
    case .delayed(let end): end
    case .askingPIN, .editing, .performing: lastInput + Self.idleTime
    }
  }

  package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
    effects = []
    process(event, at: now)
    return effects
  }

  private mutating func process(_ event: Event, at now: MonotonicInstant) {
    switch event {
    case .opened(let asksPIN):
      self.asksPIN = asksPIN
      state = .waiting
      if settings.greetsAtOnce { greet(at: now) }
    case .bytes(let bytes): receive(bytes, at: now)
    case .breakCondition: endSession(.breakCondition)
    case .hangUp:
      endSession(.hangUp)
      state = .closed
    case .outputFull: endSession(.outputFull)
    case .pinChecked(let number, let isRight): receivePINResult(number, isRight, at: now)
    case .replied(let number, let lines, let isRefused): receiveReply(number, lines, isRefused)
    case .notification(let notification): show(notification)
    case .fix(let lines): show(fix: lines)
    case .appsUpdated(let apps): vocabulary.apps = apps
    case .timePassed: timePassed(at: now)
    }
  }

  private mutating func receive(_ bytes: [UInt8], at now: MonotonicInstant) {
    guard !bytes.isEmpty else { return }
    switch state {
    // Input during a PIN check or a delay is discarded, and does not keep the session alive.
    case .closed, .checkingPIN, .delayed: break
    // The first key only starts the session. All bytes that arrive together with this key are also discarded.
    case .waiting: greet(at: now)
    case .askingPIN(let entry):
      lastInput = now
      askPIN(entry, bytes, at: now)
    case .editing:
      lastInput = now
      edit(tagged(bytes))
    case .performing:
      lastInput = now
      bufferInput(tagged(bytes))
    }
  }

  private mutating func timePassed(at now: MonotonicInstant) {
    guard let deadline, deadline <= now else { return }
    switch state {
    case .delayed: greet(at: now)
    case .askingPIN, .editing, .performing: endSession(.idle)
    case .closed, .waiting, .checkingPIN: break
    }
  }

  // MARK: Beginning

  private mutating func greet(at now: MonotonicInstant) {
    lastInput = now
    guard asksPIN else { return startSession() }
    if let end = delay.end(at: now) {
      writeLines("", phrase(.wait, [.count: "\((end - now).secondsRoundedUp)"]))
      state = .delayed(until: end)
    } else {
      write("\r\nPIN: ")
      state = .askingPIN(SecretEntry())
    }
  }

  private mutating func askPIN(_ entry: SecretEntry, _ bytes: [UInt8], at now: MonotonicInstant) {
    var entry = entry
    for byte in bytes {
      switch entry.process(byte) {
      case nil: continue
      case .interrupted, .entered(""): write("\r\nPIN: ")
      case .ended: return endSession(.endOfInput)
      case .entered(let pin):
        number += 1
        delay.entered(at: now)
        state = .checkingPIN
        effects.append(.checkPIN(number, pin))
        // Bytes after the PIN are discarded, because the user typed them before the result of the check.
        return
      }
    }
    state = .askingPIN(entry)
  }

  private mutating func receivePINResult(_ number: Int, _ isRight: Bool, at now: MonotonicInstant) {
    guard state == .checkingPIN, number == self.number else { return }
    lastInput = now
    if isRight {
      delay.succeeded()
      return startSession()
    }
    writeLines("", phrase(.wrongPIN))
    greet(at: now)
  }

  private mutating func startSession() {
    editor = ConsoleSession.newEditor(settings)
    bufferedInput = []
    resetAnswer()
    effects.append(.begin)
    writeLines("", phrase(.greeting, [.text: settings.gateway]))
    for notification in unread { writeLines(notification.lines(settings)) }
    unread = []
    for prompt in openPrompts { writeLines(prompt.lines(settings)) }
    prompt()
  }

  mutating func prompt() {
    state = .editing
    var output: [UInt8] = []
    editor.begin(into: &output)
    write(output)
  }

  // MARK: Fixes

  package var isOpen: Bool { state != .closed }

  /// Writes a fix as lines of text. A partly typed command appears again below the fix.
  private mutating func show(fix lines: [String]) {
    let text = lines.map { $0 + "\r\n" }.joined()
    switch state {
    case .closed: break
    case .waiting, .performing: write(text)
    case .askingPIN: write("\r\n" + text + "PIN: ")
    case .checkingPIN, .delayed: write("\r\n" + text)
    case .editing:
      var output: [UInt8] = []
      editor.hide(into: &output)
      write(output)
      write(text)
      prompt()
    }
  }

  // MARK: The end

  mutating func endSession(_ reason: EndReason) {
    let wasOpen: Bool
    switch state {
    case .closed, .waiting: return
    case .askingPIN, .checkingPIN, .delayed: wasOpen = false
    case .editing, .performing: wasOpen = true
    }
    state = .waiting
    // A command of the ended session may still be executed. Because of the new number, the console ignores the late
    // reply to this command.
    number += 1
    editor = ConsoleSession.newEditor(settings)
    bufferedInput = []
    resetAnswer()
    switch reason {
    // The next user of the port must not see unsent output of this session.
    case .idle, .breakCondition, .hangUp, .outputFull: effects.append(.discardUnsent)
    case .quit, .endOfInput: break
    }
    switch reason {
    case .idle: writeLines("", phrase(.idle))
    case .quit, .endOfInput: if wasOpen { writeLines(phrase(.ended)) }
    case .breakCondition: if wasOpen { writeLines("", phrase(.ended)) }
    case .hangUp, .outputFull: break
    }
    effects.append(.end(reason))
  }

  // MARK: Output

  func phrase(_ phrase: ConsolePhrase, _ values: [Placeholder: String] = [:]) -> String {
    phrase.text(in: settings.language, values)
  }

  mutating func writeLines(_ lines: String...) { writeLines(lines) }

  mutating func writeLines(_ lines: [String]) {
    for line in lines {
      for part in Columns.wrapped(line, to: settings.columns - 1) { write(Cell.cells(of: part).text + "\r\n") }
    }
  }

  mutating func write(_ text: String) { write(Array(text.utf8)) }

  mutating func write(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    if case .write(let before)? = effects.last {
      effects[effects.count - 1] = .write(before + bytes)
    } else {
      effects.append(.write(bytes))
    }
  }
}
