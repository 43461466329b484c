package import Clocks
package import Languages
package import OwnerVerbs

/// A person at a terminal: what comes from it and from the gateway goes in, what is to be done comes out.
///
/// It belongs to the port and outlives those who sit down there: when one session has ended, the next key that is pressed
/// begins another, with the PIN. What one session wrote the next one does not see.
package struct ConsoleSession: Sendable {
  package struct Settings: Hashable, Sendable {
    package var language: Language
    /// Of the terminal, 20 at least.
    package var columns: Int
    /// What the gateway is called.
    package var gateway: String
    /// Whether it greets when the port is opened, not only when a key is pressed.
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
    /// What was to be sent is more than may wait: nobody reads it.
    case outputFull
    /// Whether the PIN of that number was right.
    case pinChecked(Int, isRight: Bool)
    /// What came of the verb of that number, or why nothing did.
    case replied(Int, [String], isRefused: Bool = false)
    case news(ConsoleNews)
    /// The apps that the gateway knows.
    case learned(apps: [String])
    case timePassed
  }

  package enum Effect: Hashable, Sendable {
    case write([UInt8])
    /// Drop what was written and not sent.
    case discardUnsent
    case checkPIN(Int, String)
    case perform(Int, OwnerVerb)
    /// Somebody may speak from now on.
    case begin
    case end(EndReason)
  }

  package enum EndReason: String, Hashable, Sendable, CaseIterable {
    case quit
    case endOfInput
    case breakCondition
    case hangUp
    case idle
    case outputFull
  }

  /// A person who types nothing for so long has gone.
  package static let idleTime = Duration.seconds(300)
  /// Notifications that are kept for who is not there.
  static let mostUnread = 20
  /// Bytes that are kept while a verb is performed.
  static let typeAhead = 256

  enum State: Hashable, Sendable {
    /// The port is not open.
    case closed
    /// Nobody is there.
    case waiting
    case askingPIN(SecretEntry)
    case checkingPIN
    /// After a wrong PIN.
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
  /// The number of the last PIN or verb.
  var number = 0
  /// What was typed while a verb was performed.
  var ahead: [TypedByte] = []
  /// The open prompts, the one told last at the end, whether or not a person was there.
  var openPrompts: [ConsoleNews] = []
  /// Notifications that came while nobody was there to read them, the latest ones.
  var unread: [ConsoleNews] = []
  /// The prompt that was on the screen when the line was begun: an answer without a number is to that one.
  var promptOfLine: Int?
  /// The prompt that was answered here: what became of it is the reply.
  var answered: Int?
  /// Whether the reply to that answer is still to come.
  var isAnswering = false
  /// That an owner has closed it, while it is not known whether it was this one.
  var withheld: [String] = []
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

  /// When time matters next; nil where it does not.
  package var deadline: MonotonicInstant? {
    switch state {
    case .closed, .waiting, .checkingPIN: nil
    case .delayed(let end): end
    case .askingPIN, .editing, .performing: lastInput + Self.idleTime
    }
  }

  package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
    effects = []
    take(event, at: now)
    return effects
  }

  private mutating func take(_ event: Event, at now: MonotonicInstant) {
    switch event {
    case .opened(let asksPIN):
      self.asksPIN = asksPIN
      state = .waiting
      if settings.greetsAtOnce { greet(at: now) }
    case .bytes(let bytes): take(bytes, at: now)
    case .breakCondition: endSession(.breakCondition)
    case .hangUp:
      endSession(.hangUp)
      state = .closed
    case .outputFull: endSession(.outputFull)
    case .pinChecked(let number, let isRight): checked(number, isRight, at: now)
    case .replied(let number, let lines, let isRefused): replied(number, lines, isRefused)
    case .news(let news): tell(news)
    case .learned(let apps): vocabulary.apps = apps
    case .timePassed: timePassed(at: now)
    }
  }

  private mutating func take(_ bytes: [UInt8], at now: MonotonicInstant) {
    guard !bytes.isEmpty else { return }
    switch state {
    // What is typed while one has to wait is nothing, and keeps nobody there.
    case .closed, .checkingPIN, .delayed: break
    // The key that wakes it is no input yet, nor is what was sent with it.
    case .waiting: greet(at: now)
    case .askingPIN(let entry):
      lastInput = now
      askPIN(entry, bytes, at: now)
    case .editing:
      lastInput = now
      edit(typed(bytes))
    case .performing:
      lastInput = now
      keep(typed(bytes))
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
    guard asksPIN else { return open() }
    if let end = delay.end(at: now) {
      let seconds = (end - now).components.seconds + 1
      say("", phrase(.wait, [.count: "\(seconds)"]))
      state = .delayed(until: end)
    } else {
      write("\r\nPIN: ")
      state = .askingPIN(SecretEntry())
    }
  }

  private mutating func askPIN(_ entry: SecretEntry, _ bytes: [UInt8], at now: MonotonicInstant) {
    var entry = entry
    for byte in bytes {
      switch entry.take(byte) {
      case nil: continue
      case .interrupted, .entered(""): write("\r\nPIN: ")
      case .ended: return endSession(.endOfInput)
      case .entered(let pin):
        number += 1
        delay.entered(at: now)
        state = .checkingPIN
        effects.append(.checkPIN(number, pin))
        // The rest was typed before anybody could know whether it was right.
        return
      }
    }
    state = .askingPIN(entry)
  }

  private mutating func checked(_ number: Int, _ isRight: Bool, at now: MonotonicInstant) {
    guard state == .checkingPIN, number == self.number else { return }
    lastInput = now
    if isRight {
      delay.succeeded()
      return open()
    }
    say("", phrase(.wrongPIN))
    greet(at: now)
  }

  private mutating func open() {
    editor = ConsoleSession.newEditor(settings)
    ahead = []
    forgetAnswer()
    effects.append(.begin)
    say("", phrase(.greeting, [.text: settings.gateway]))
    for news in unread { say(news.lines(settings)) }
    unread = []
    for prompt in openPrompts { say(prompt.lines(settings)) }
    prompt()
  }

  /// Shows that a line may be written.
  mutating func prompt() {
    state = .editing
    var output: [UInt8] = []
    editor.begin(into: &output)
    write(output)
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
    // A reply that is on its way is nobody's.
    number += 1
    editor = ConsoleSession.newEditor(settings)
    ahead = []
    forgetAnswer()
    switch reason {
    // Nobody may be there to read what is still to be sent, and somebody else may come.
    case .idle, .breakCondition, .hangUp, .outputFull: effects.append(.discardUnsent)
    case .quit, .endOfInput: break
    }
    switch reason {
    case .idle: say("", phrase(.idle))
    case .quit, .endOfInput: if wasOpen { say(phrase(.ended)) }
    case .breakCondition: if wasOpen { say("", phrase(.ended)) }
    case .hangUp, .outputFull: break
    }
    effects.append(.end(reason))
  }

  // MARK: Output

  func phrase(_ phrase: ConsolePhrase, _ values: [Placeholder: String] = [:]) -> String {
    phrase.text(in: settings.language, values)
  }

  mutating func say(_ lines: String...) { say(lines) }

  /// Lines, without anything in them that a terminal would obey.
  mutating func say(_ lines: [String]) {
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
