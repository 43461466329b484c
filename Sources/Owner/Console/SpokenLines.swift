import Languages
import OwnerVerbs

/// What is said on the console besides the verbs that the gateway performs.
enum LocalVerb: String, Hashable, CaseIterable {
  case help
  case quit
}

/// A byte, and what was on the screen when it was typed.
struct TypedByte: Hashable, Sendable {
  var byte: UInt8
  /// The number of the prompt that was open; nil where none was.
  var prompt: Int?
}

/// Lines that are written, and what they come to.
extension ConsoleSession {
  func typed(_ bytes: [UInt8]) -> [TypedByte] {
    let prompt = openNumber
    return bytes.map { TypedByte(byte: $0, prompt: prompt) }
  }

  /// The prompt that is on the screen.
  private var openNumber: Int? {
    openPrompts.last?.openNumber
  }

  mutating func edit(_ bytes: [TypedByte]) {
    for (index, typed) in bytes.enumerated() {
      var output: [UInt8] = []
      if editor.isEmpty { promptOfLine = typed.prompt }
      let outcome = editor.take(typed.byte, candidates: candidates, into: &output)
      write(output)
      switch outcome {
      case nil: continue
      case .interrupted: prompt()
      case .ended: return endSession(.endOfInput)
      case .entered(let line): take(line)
      }
      switch state {
      case .editing: continue
      case .performing: return keep(Array(bytes[(index + 1)...]))
      case .closed, .waiting, .askingPIN, .checkingPIN, .delayed: return
      }
    }
  }

  private func candidates(_ text: String) -> [String] {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return vocabulary.completions(after: words.dropLast().filter { !$0.isEmpty }, beginning: words.last ?? "")
  }

  private mutating func take(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard let first = words.first else { return prompt() }
    switch LocalVerb(rawValue: first.lowercased()) {
    case .quit: return endSession(.quit)
    case .help:
      say(help(for: Array(words.dropFirst())))
      prompt()
    case nil:
      do {
        let verb = try OwnerVerb(words: words)
        if let verb = addressed(verb) { perform(verb) } else { prompt() }
      } catch {
        say(error.text(in: settings.language))
        prompt()
      }
    }
  }

  private mutating func perform(_ verb: OwnerVerb) {
    number += 1
    state = .performing
    noteAnswer(verb)
    effects.append(.perform(number, verb))
  }

  /// An answer without a number is to the prompt that its writer has read: never to one that came since.
  /// - Returns: nil where there is none that it is to, which is told.
  private mutating func addressed(_ verb: OwnerVerb) -> OwnerVerb? {
    guard case .answer(nil, let choice, let accuracy) = verb else { return verb }
    let open = openNumber
    if let promptOfLine, promptOfLine == open { return .answer(prompt: promptOfLine, choice, accuracy: accuracy) }
    let phrase: FailurePhrase = promptOfLine != nil ? .tooLate : open != nil ? .justAsked : .nothingAsked
    say(phrase.text(in: settings.language, [.text: open.map { "#\($0)" } ?? ""]))
    return nil
  }

  /// What was typed while a verb is performed waits; Ctrl-C takes it back.
  mutating func keep(_ bytes: [TypedByte]) {
    for typed in bytes {
      if typed.byte == 0x03 {
        ahead = []
      } else if ahead.count < Self.typeAhead {
        ahead.append(typed)
      } else {
        write([LineDisplay.bell])
        return
      }
    }
  }

  mutating func replied(_ number: Int, _ lines: [String], _ isRefused: Bool) {
    guard state == .performing, number == self.number else { return }
    say(lines)
    if isAnswering, isRefused {
      // Then it was not the answer that counts: somebody else's was.
      say(withheld)
      answered = nil
    }
    isAnswering = false
    withheld = []
    prompt()
    let typed = ahead
    ahead = []
    edit(typed)
  }
}
