import Base
import Hardware
import LineProtocol
import OwnerScreens

/// Checks the console with any typed bytes, such as the noise of a modem: the terminal receives only text, and the split of
/// the bytes changes neither the text nor the verbs.
/// - Parameter choice: The width of the terminal, whether there is a PIN, and the split of the typed bytes.
public func terminalHolds(_ bytes: [UInt8], choice: UInt8) {
  let whole = inputs(bytes, chunk: .max / 2)
  for chunk in [1, 1 + Int(choice & 31)] { precondition(joined(inputs(bytes, chunk: chunk)) == joined(whole)) }
  let bytewise = sitting(bytes, chunk: 1, choice)
  let chunked = sitting(bytes, chunk: 1 + Int(choice & 31), choice)
  // Ctrl-C discards bytes that were typed ahead, and so does the end of a session.
  if choice & 0x80 == 0, !bytewise.hasEnded, !chunked.hasEnded, !bytes.contains(0x03) {
    precondition(bytewise.written == chunked.written && bytewise.verbs == chunked.verbs)
  }
  let text = String(decoding: bytes, as: UTF8.self)
  let words = text.split(separator: " ").joined(separator: " ")
  precondition(verb(text) == verb(words))
}

private func verb(_ line: String) -> Result<OwnerVerb, VerbError> {
  Result { () throws(VerbError) in try OwnerVerb(parsing: line) }
}

private func inputs(_ bytes: [UInt8], chunk: Int) -> [ConsoleInput] {
  var decoder = ConsoleInputDecoder()
  return pieces(of: bytes, length: chunk).flatMap { decoder.decode($0) }
}

/// Returns all inputs as one sequence of bytes. Nil is a break.
private func joined(_ inputs: [ConsoleInput]) -> [UInt8?] {
  inputs.flatMap { input -> [UInt8?] in
    switch input {
    case .bytes(let bytes): bytes
    case .breakCondition: [nil]
    default: []
    }
  }
}

private struct Sitting {
  var session: ConsoleSession
  var written: [UInt8] = []
  var verbs: [OwnerVerb] = []
  var hasEnded = false
  var now = MonotonicInstant(nanoseconds: 0)

  init(_ choice: UInt8) {
    session = ConsoleSession(.init(columns: 20 + Int(choice & 0x7F), gateway: "fuzz"))
    take(.opened(asksPIN: choice & 0x80 != 0))
    take(.appsUpdated(apps: ["ferry", "harbour", "ferry-boat"]))
    // The key press that wakes the console.
    take(.bytes([0x0D]))
  }

  mutating func take(_ event: ConsoleSession.Event) {
    var waiting = [event]
    while !waiting.isEmpty {
      now = now + .milliseconds(1)
      for effect in session.handle(waiting.removeFirst(), at: now) {
        switch effect {
        case .write(let bytes): written += bytes
        case .checkPIN(let number, let pin): waiting.append(.pinChecked(number, isRight: pin == "1234"))
        case .perform(let number, let verb):
          verbs.append(verb)
          waiting.append(.replied(number, ["done"], isRefused: verbs.count.isMultiple(of: 3)))
        case .end: hasEnded = true
        case .begin, .discardUnsent: break
        }
      }
    }
  }
}

private func sitting(_ bytes: [UInt8], chunk: Int, _ choice: UInt8) -> Sitting {
  var sitting = Sitting(choice)
  for begin in stride(from: 0, to: bytes.count, by: chunk) {
    sitting.take(.bytes(Array(bytes[begin..<min(begin + chunk, bytes.count)])))
    // The session waits after a wrong PIN, and ends when no key is pressed for long.
    if let deadline = sitting.session.deadline, choice & 0x80 != 0, bytes[begin] & 7 == 0 {
      sitting.now = max(sitting.now, deadline)
      sitting.take(.timePassed)
    }
  }
  // The only control characters are bell, backspace and line ends.
  precondition(String(validating: sitting.written, as: UTF8.self) != nil)
  precondition(!sitting.written.contains { $0 < 0x20 && ![0x07, 0x08, 0x0A, 0x0D].contains($0) || $0 == 0x7F })
  return sitting
}
