import Languages
import OwnerVerbs

/// What is said on the console besides the verbs that the gateway performs.
enum LocalVerb: String, Hashable, CaseIterable {
  case help
  case quit
}

/// Lines that are written, and what they come to.
extension ConsoleSession {
  mutating func edit(_ bytes: [UInt8]) {
    for (index, byte) in bytes.enumerated() {
      var output: [UInt8] = []
      let outcome = editor.take(byte, candidates: candidates, into: &output)
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
        number += 1
        state = .performing
        noteAnswer(verb)
        effects.append(.perform(number, verb))
      } catch {
        say(error.text(in: settings.language))
        prompt()
      }
    }
  }

  /// What was typed while a verb is performed waits; Ctrl-C takes it back.
  mutating func keep(_ bytes: [UInt8]) {
    for byte in bytes {
      if byte == 0x03 {
        ahead = []
      } else if ahead.count < Self.typeAhead {
        ahead.append(byte)
      } else {
        write([LineDisplay.bell])
        return
      }
    }
  }

  mutating func replied(_ number: Int, _ lines: [String], _ isRefused: Bool) {
    guard state == .performing, number == self.number else { return }
    // Then it was not the answer that counts.
    if isRefused { answered = nil }
    say(lines)
    prompt()
    let typed = ahead
    ahead = []
    edit(typed)
  }
}
