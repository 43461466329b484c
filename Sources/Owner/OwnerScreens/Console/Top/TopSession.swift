package import Base
import LineProtocol

/// The state machine of `onefix top`, a full-screen view of a gateway. Its events are keys and new states of the
/// gateway.
package struct TopSession: Sendable {
  package enum Event: Hashable, Sendable {
    case key(Key)
    case updated(Overview)
    case lost
    case resized(ScreenSize)
    /// The terminal has received and shows the newest frame (screen contents).
    case drawn
    case done(ActionOutcome)
  }

  package enum Effect: Hashable, Sendable {
    case perform(OwnerAction)
    /// Draws the whole frame (screen contents), and asks the terminal for the size of the screen again.
    case redraw
    case suspend
    case end
  }

  /// The time that a user needs to read a new question. An answer during this time is ignored.
  private static let readingTime = Duration.seconds(1)
  private static let messageTime = Duration.seconds(6)

  /// The parts of the screen to which key presses apply. A key press has an effect only if the terminal already shows
  /// the part.
  struct ReadableContent: Hashable, Sendable {
    var question: Int?
    var accuracy: FixAccuracy?
    var confirmation: Confirmation?
    var showsApps = false
  }

  package let language: Language
  package let terminal: TerminalKind
  private(set) var size = ScreenSize.usual
  /// The latest state of the gateway; nil without a connection, or before the first state arrives.
  private(set) var overview: Overview?
  /// The time of the latest answer of a gateway that no longer answers; nil while the gateway answers.
  private(set) var lostSince: MonotonicInstant?
  private var lastAnswer: MonotonicInstant?
  private(set) var focus = Part.apps
  /// The id of the selected app; nil if no app is selected. The id stays valid when the order of the apps changes.
  private(set) var chosen: String?
  var scrolled: [Part: Int] = [:]
  var pages: [Part: Int] = [:]
  private(set) var confirmation: Confirmation?
  private(set) var pager: Pager?
  var pagerPages = 1
  private var chosenAccuracy: (question: Int, accuracy: FixAccuracy)?
  private(set) var message: (text: String, until: MonotonicInstant)?
  private var isBusy = false
  /// The parts of the newest frame to which key presses apply. The terminal may still show the earlier frame of
  /// `drawn`.
  var drawing = ReadableContent()
  private var drawn = ReadableContent()
  private var questionDrawn: MonotonicInstant?

  package init(language: Language, kind: TerminalKind) {
    // On an ASCII terminal, the language is English, because the texts of all other languages need characters outside
    // ASCII.
    self.language = kind.isASCII ? .english : language
    terminal = kind
  }

  package mutating func handle(_ event: Event, at now: MonotonicInstant) -> [Effect] {
    expireMessage(at: now)
    switch event {
    case .updated(let overview):
      self.overview = overview
      lastAnswer = now
      lostSince = nil
      if !overview.apps.contains(where: { $0.app == chosen }) { chosen = nil }
    case .lost:
      overview = nil
      lostSince = lostSince ?? lastAnswer ?? now
      confirmation = nil
      chosenAccuracy = nil
    case .resized(let size): self.size = size
    case .drawn:
      if drawing.question != drawn.question { questionDrawn = now }
      drawn = drawing
    case .done(.message(let text)):
      isBusy = false
      showMessage(text, at: now)
    case .done(.pager(let lines)):
      isBusy = false
      pager = Pager(contents: .lines(lines))
    case .key(let key): return press(key, at: now)
    }
    return []
  }

  mutating func expireMessage(at now: MonotonicInstant) {
    if let message, message.until <= now { self.message = nil }
  }

  private mutating func showMessage(_ text: String, at now: MonotonicInstant) {
    message = (text, now + Self.messageTime)
  }

  private mutating func showMessage(_ phrase: TopPhrase, at now: MonotonicInstant) {
    showMessage(phrase.text(in: language), at: now)
  }

  // MARK: Keys

  private mutating func press(_ key: Key, at now: MonotonicInstant) -> [Effect] {
    switch key {
    case .interrupt: return [.end]
    case .redraw: return [.redraw]
    case .suspend: return [.suspend]
    case .position: return []
    default: break
    }
    if let confirmation { return confirm(confirmation, key, at: now) }
    if let page = pager?.page {
      if page + 1 < pagerPages { pager?.page = page + 1 } else { pager = nil }
      return []
    }
    switch key {
    case .tab: focus = Part(rawValue: focus.rawValue + 1) ?? .apps
    case .up, .character("k"): move(by: -1)
    case .down, .character("j"): move(by: 1)
    case .pageUp: move(by: -max(1, pages[focus] ?? 1))
    case .pageDown: move(by: max(1, pages[focus] ?? 1))
    case .home: move(by: -100_000)
    case .end: move(by: 100_000)
    case .character("q"), .endOfInput: return [.end]
    case .character("?"): pager = Pager(contents: .help)
    case .character(let letter): return handleLetter(letter, at: now)
    case .enter, .left, .right, .backspace, .delete, .interrupt, .killToEnd, .killToStart, .killWord, .redraw, .suspend,
      .position, .unknown:
      break
    }
    return []
  }

  private mutating func handleLetter(_ letter: Unicode.Scalar, at now: MonotonicInstant) -> [Effect] {
    switch letter {
    case "0": return changeAccuracy(at: now)
    case " ": return perform(.press, at: now)
    case "h": return perform(.hold, at: now)
    case "1"..."9": return answer(Int(letter.value - 0x31), at: now)
    default:
      for row in VerbRow.table {
        if let key = row.keys.first(where: { $0.letter == letter }) { return request(row, key, at: now) }
      }
      return []
    }
  }

  private mutating func request(_ row: VerbRow, _ key: VerbRow.Key, at now: MonotonicInstant) -> [Effect] {
    let app = drawn.showsApps ? overview?.apps.first { $0.app == chosen } : nil
    let needsApp = row.arguments.first == .app
    if needsApp, app == nil {
      focus = .apps
      showMessage(.noApp, at: now)
      return []
    }
    let accuracy = (app?.presentAccuracy ?? .reduced).following.rawValue
    let words = key.words.map { $0 == VerbRow.Key.nextAccuracy ? accuracy : $0 }
    guard overview != nil, let verb = try? OwnerVerb(row, (needsApp ? app : nil).map { [$0.app] + words } ?? words)
    else { return [] }
    guard let question = key.question else { return perform(.verb(verb), at: now) }
    message = nil
    let values = [Placeholder.app: verb.values.app]
    let text = question.text(in: language, values)
    confirmation = Confirmation(action: .verb(verb), question: text).withEnd(nil, in: language)
    return []
  }

  private mutating func confirm(_ confirmation: Confirmation, _ key: Key, at now: MonotonicInstant) -> [Effect] {
    switch key {
    case .character("y"), .character("Y"):
      // A confirmation is valid only if the terminal already shows its question.
      guard drawn.confirmation == confirmation else { return [] }
      self.confirmation = nil
      return perform(confirmation.action, at: now)
    case .character("e") where confirmation.mayEnd:
      self.confirmation = confirmation.withEnd(confirmation.followingEnd, in: language)
      return []
    default:
      self.confirmation = nil
      showMessage(.undone, at: now)
      return []
    }
  }

  private mutating func answer(_ index: Int, at now: MonotonicInstant) -> [Effect] {
    guard let question = overview?.question else {
      showMessage(FailurePhrase.nothingAsked.text(in: language), at: now)
      return []
    }
    guard question.choices.indices.contains(index) else { return [] }
    let accuracy = accuracy(for: question)
    guard drawn.question == question.prompt, drawn.accuracy == accuracy,
      let since = questionDrawn, since + Self.readingTime <= now
    else {
      showMessage(.readFirst, at: now)
      return []
    }
    let choice = question.choices[index].choice
    guard let verb = try? OwnerVerb(answer: choice, accuracy: choice == .no ? nil : accuracy, to: question.prompt)
    else { return [] }
    return perform(.verb(verb), at: now)
  }

  /// Returns the accuracy that an answer to the question gives to the app; nil if the question is not about accuracy.
  /// The result is the accuracy that the user selected, otherwise the present accuracy of the app.
  func accuracy(for question: PromptView) -> FixAccuracy? {
    guard question.isAboutAccuracy else { return nil }
    if let chosenAccuracy, chosenAccuracy.question == question.prompt { return chosenAccuracy.accuracy }
    return overview?.apps.first { $0.app == question.app }?.presentAccuracy ?? .full
  }

  private mutating func changeAccuracy(at now: MonotonicInstant) -> [Effect] {
    guard let question = overview?.question, let accuracy = accuracy(for: question) else {
      showMessage(FailurePhrase.nothingAsked.text(in: language), at: now)
      return []
    }
    guard drawn.question == question.prompt else {
      showMessage(.readFirst, at: now)
      return []
    }
    chosenAccuracy = (question.prompt, accuracy.following)
    return []
  }

  private mutating func perform(_ action: OwnerAction, at now: MonotonicInstant) -> [Effect] {
    guard overview != nil else { return [] }
    guard !isBusy else {
      showMessage(.busy, at: now)
      return []
    }
    isBusy = true
    return [.perform(action)]
  }

  // MARK: Moving

  private mutating func move(by rows: Int) {
    guard let overview else { return }
    switch focus {
    case .apps:
      guard !overview.apps.isEmpty else { return }
      let index = overview.apps.firstIndex { $0.app == chosen }
      // Without a selected app, an arrow key selects the first or the last app.
      let next = index.map { $0 + rows } ?? (rows > 0 ? 0 : overview.apps.count - 1)
      chosen = overview.apps[max(0, min(next, overview.apps.count - 1))].app
    case .sessions, .log:
      let count = focus == .log ? overview.entries.count : overview.sessions.count
      let last = max(0, count - (pages[focus] ?? 1))
      scrolled[focus] = max(0, min((scrolled[focus] ?? 0) + rows, last))
    case .sky: break
    }
  }
}

extension FixAccuracy {
  /// The next accuracy in the order precise, approximate, place name; after place name, precise again.
  fileprivate var following: FixAccuracy {
    switch self {
    case .full: .reduced
    case .reduced: .place
    case .place: .full
    }
  }
}
