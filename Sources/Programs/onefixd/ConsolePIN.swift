import ArgumentParser
import Glibc
import MachineChecks

/// Makes the file with the console's PIN.
struct ConsolePIN: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console-pin", abstract: "Choose the console's PIN.",
    discussion: """
      It is asked twice, unseen, or read as one line where the standard input is no terminal: 4 to 32 ASCII characters \
      without spaces. The file holds a salted hash (PBKDF2-HMAC-SHA-256, \(PINHash.rounds) rounds) and is the daemon's \
      user's alone. A daemon that runs takes the new one at once.

      Exit status: 0 written, 1 not, 64 usage.
      """)

  @Option(help: "The file, as pin_file in [console] names it.")
  var file: String

  @Option(help: "The user that the daemon runs as, by name or number. (default: you; where you are root, onefix)")
  var user: String?

  func run() throws {
    do {
      let owner = try daemonUser(MachineReader(), named: user)
      let pin = try isatty(STDIN_FILENO) == 1 ? chosen() : line()
      try PINFile.write(PINHash(pin), to: file, owner: owner.uid == geteuid() ? nil : (owner.uid, owner.gid))
    } catch let error as PINError {
      say("onefixd: \(error)")
      throw ExitCode(1)
    }
  }

  private func chosen() throws -> String {
    let first = try HiddenLine.ask("New PIN: ")
    guard PINHash.isSuitable(first) else { throw PINError.unsuitable }
    guard try HiddenLine.ask("Once more: ") == first else {
      say("onefixd: the second PIN is another; nothing was changed")
      throw ExitCode(1)
    }
    return first
  }

  private func line() -> String { readLine(strippingNewline: true) ?? "" }
}

/// A line that is typed at the terminal and not seen there.
private enum HiddenLine {
  /// Ctrl-C
  private static let interrupt: UInt8 = 0x03

  static func ask(_ question: String) throws -> String {
    var saved = termios()
    // The pointer is good for the call.
    guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0 else { throw ExitCode(1) }
    var hidden = saved
    // Ctrl-C is a character that ends the line: a signal would leave the terminal as it is now.
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
    hidden.c_cc.11 = interrupt  // VEOL
    _ = unsafe write(STDERR_FILENO, question, question.utf8.count)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw ExitCode(1) }
    defer {
      _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
      say("")
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    // Reads into the array's own storage, no more than it has.
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0, !bytes[..<count].contains(interrupt) else { throw ExitCode(1) }
    return String(decoding: bytes[..<count].filter { $0 != 0x0A }, as: UTF8.self)
  }
}
