import Features
import Glibc

/// The command `onefixd console-pin`: creates the file with the hash of the console's PIN.
struct ConsolePIN {
  private let file: String
  private let user: String?

  static let table = OptionTable(
    command: "onefixd console-pin", overview: "Set the console's PIN.",
    discussion: """
      The PIN is entered twice without echo, or read as one line if standard input is not a terminal: 4 to 32 ASCII \
      characters without spaces. The file holds a salted hash (PBKDF2-HMAC-SHA-256, \(PINHash.rounds) rounds) and is \
      readable only by the daemon's user. A running daemon uses the new PIN immediately.

      Exit status: 0 written, 1 not written, 64 usage.
      """,
    options: [
      .init("file", "FILE", "The file for the PIN: the value of pin_file in the table [console]. (required)"),
      Check.userOption,
    ])

  init(_ values: [String: String]) throws(UsageError) {
    guard let file = values["file"] else { throw UsageError("console-pin needs --file FILE") }
    self.file = file
    user = values["user"]
  }

  func run() throws {
    do {
      let owner = try daemonUser(MachineReader(), named: user)
      let pin = try isatty(STDIN_FILENO) == 1 ? chosen() : readLine() ?? ""
      try PINFile.write(PINHash(pin), to: file, owner: owner.uid == geteuid() ? nil : (owner.uid, owner.gid))
    } catch let error as PINError {
      printError("onefixd: \(error)")
      throw ExitStatus(1)
    }
  }

  private func chosen() throws -> String {
    let first = try HiddenLine.ask("New PIN: ")
    guard PINHash.isSuitable(first) else { throw PINError.unsuitable }
    guard try HiddenLine.ask("Repeat: ") == first else {
      printError("onefixd: cannot set the PIN: the two entries differ (nothing was changed)")
      throw ExitStatus(1)
    }
    return first
  }
}

/// Reads a line of text from the terminal without showing the text, for example a PIN.
private enum HiddenLine {
  private static let interrupt: UInt8 = 0x03

  static func ask(_ question: String) throws -> String {
    var saved = termios()
    // The pointer that the C function receives is valid during the call.
    guard unsafe tcgetattr(STDIN_FILENO, &saved) == 0 else { throw ExitStatus(1) }
    var hidden = saved
    // Ctrl-C ends the text line and sends no signal. A signal would end the process and leave the terminal without
    // echo.
    hidden.c_lflag &= ~tcflag_t(ECHO | ISIG)
    hidden.c_cc.11 = interrupt  // VEOL
    _ = unsafe write(STDERR_FILENO, question, question.utf8.count)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw ExitStatus(1) }
    defer {
      _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved)
      printError("")
    }
    var bytes = [UInt8](repeating: 0, count: 256)
    // `read` writes at most `bytes.count` bytes into the array.
    let count = unsafe read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0, !bytes[..<count].contains(interrupt) else { throw ExitStatus(1) }
    return String(decoding: bytes[..<count].filter { $0 != 0x0A }, as: UTF8.self)
  }
}
