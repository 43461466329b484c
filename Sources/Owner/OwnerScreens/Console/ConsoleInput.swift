import Base
import LineProtocol

/// A command that the console executes without the gateway.
enum LocalVerb: String, Hashable, CaseIterable {
  case help
  case quit
}

/// A typed byte, with the identifier of the newest prompt (the question to the user) that was open at this time; nil if
/// no prompt was open.
struct TypedByte: Hashable, Sendable {
  var byte: UInt8
  var prompt: Int?
}

extension ConsoleSession {
  func tagged(_ bytes: [UInt8]) -> [TypedByte] {
    let prompt = openNumber
    return bytes.map { TypedByte(byte: $0, prompt: prompt) }
  }

  private var openNumber: Int? {
    openPrompts.last?.openNumber
  }

  mutating func edit(_ bytes: [TypedByte]) {
    for (index, typed) in bytes.enumerated() {
      var output: [UInt8] = []
      if editor.isEmpty { promptAtLineStart = typed.prompt }
      let outcome = editor.process(typed.byte, candidates: candidates, into: &output)
      write(output)
      switch outcome {
      case nil: continue
      case .interrupted: prompt()
      case .ended: return endSession(.endOfInput)
      case .entered(let line): run(line)
      }
      switch state {
      case .editing: continue
      case .performing: return bufferInput(Array(bytes[(index + 1)...]))
      case .closed, .waiting, .askingPIN, .checkingPIN, .delayed: return
      }
    }
  }

  private func candidates(_ text: String) -> [String] {
    let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    return vocabulary.completions(after: words.dropLast().filter { !$0.isEmpty }, beginning: words.last ?? "")
  }

  private mutating func run(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard let first = words.first else { return prompt() }
    switch LocalVerb(rawValue: first.lowercased()) {
    case .quit: return endSession(.quit)
    case .help:
      writeLines(help(for: Array(words.dropFirst())))
      prompt()
    case nil:
      do {
        let verb = try OwnerVerb(words: words)
        if let verb = addingPromptNumber(verb) { perform(verb) } else { prompt() }
      } catch {
        writeLines(error.text(in: settings.language))
        prompt()
      }
    }
  }

  private mutating func perform(_ verb: OwnerVerb) {
    number += 1
    state = .performing
    recordAnswer(verb)
    effects.append(.perform(number, verb))
  }

  /// Makes the present line, and the lines that wait, refer to a prompt that is not open. After a restart of the gateway,
  /// another prompt can have the same identifier. Identifiers begin with 1.
  mutating func forgetPromptOfLine() {
    promptAtLineStart = promptAtLineStart.map { _ in 0 }
    for index in bufferedInput.indices where bufferedInput[index].prompt != nil { bufferedInput[index].prompt = 0 }
  }

  /// Adds the identifier of a prompt (a question to the user) to an answer that the user typed without an identifier.
  /// Other commands are returned unchanged.
  ///
  /// The answer is for the newest prompt that was open when the user began to type. If this prompt is closed, or if a
  /// newer prompt is open, the console shows an error, and the result is nil.
  private mutating func addingPromptNumber(_ verb: OwnerVerb) -> OwnerVerb? {
    guard verb.row.answer == .answer, verb.values.prompt == nil else { return verb }
    let open = openNumber
    if let promptAtLineStart, promptAtLineStart == open {
      var verb = verb
      verb.values.prompt = promptAtLineStart
      return verb
    }
    let isClosed = promptAtLineStart.map { number in !openPrompts.contains { $0.openNumber == number } } ?? false
    let phrase: FailurePhrase = isClosed ? .tooLate : open != nil ? .promptTooRecent : .nothingAsked
    writeLines(phrase.text(in: settings.language, [.text: open.map { "#\($0)" } ?? ""]))
    return nil
  }

  /// Stores bytes that the user types while a command is executed. Ctrl-C discards the stored bytes.
  mutating func bufferInput(_ bytes: [TypedByte]) {
    for typed in bytes {
      if typed.byte == 0x03 {
        bufferedInput = []
      } else if bufferedInput.count < Self.inputBufferSize {
        bufferedInput.append(typed)
      } else {
        write([LineDisplay.bell])
        return
      }
    }
  }

  mutating func receiveReply(_ number: Int, _ lines: [String], _ isRefused: Bool) {
    guard state == .performing, number == self.number else { return }
    writeLines(lines)
    if isAnswering, isRefused {
      // The gateway refused the answer of this user, because another owner had already answered the prompt. The console
      // now shows the notification about the other owner's answer.
      writeLines(heldLines)
      answered = nil
    }
    isAnswering = false
    heldLines = []
    prompt()
    let typed = bufferedInput
    bufferedInput = []
    edit(typed)
  }
}
