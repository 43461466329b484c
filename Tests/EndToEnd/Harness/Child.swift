import CTestShims
import Foundation
import Glibc
import Synchronization

/// The output of a process or of a connection so far.
struct TextOutput: Sendable, CustomStringConvertible {
  var lines: [String] = []
  /// The bytes after the last line end.
  var rest: [UInt8] = []
  var isOver = false

  mutating func append(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(String(decoding: rest, as: UTF8.self))
        rest = []
      } else {
        rest.append(byte)
      }
    }
  }

  var description: String {
    (lines.suffix(40) + (rest.isEmpty ? [] : [String(decoding: rest, as: UTF8.self)])).joined(separator: "\n")
      + (isOver ? "\n(end)" : "")
  }
}

/// A process that a test has started.
final class Child: Sendable {
  struct Failure: Error { var number: Int32 }

  enum End: Hashable, Sendable {
    case exit(Int32)
    case signal(Int32)
  }

  /// A lock that is held while a process starts and while a descriptor is open that the process would inherit.
  static let starting = Mutex(())

  let pid: pid_t
  let output = Observed(TextOutput())
  let errors = Observed(TextOutput())
  let end = Observed<End?>(nil)
  private let input: Mutex<Int32?>

  /// - Parameter environment: Variables in addition to the environment of the test, without `ONEFIX_SOCKET`.
  init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    // A write to a closed connection returns an error. It does not end the tests.
    signal(SIGPIPE, SIG_IGN)
    let (inputEnd, input) = try Child.ends()
    let (output, outputEnd) = try Child.ends()
    let (errors, errorsEnd) = try Child.ends()
    let variables = ProcessInfo.processInfo.environment.filter { $0.key != "ONEFIX_SOCKET" }
      .merging(environment) { $1 }
    pid = try Child.spawn(
      [program] + arguments, variables.map { "\($0.key)=\($0.value)" }, [inputEnd, outputEnd, errorsEnd])
    for descriptor in [inputEnd, outputEnd, errorsEnd] { close(descriptor) }
    self.input = Mutex(input)
    Child.read(output, into: self.output)
    Child.read(errors, into: self.errors)
    Thread.detachNewThread { [pid, end] in
      var status: Int32 = 0
      while unsafe waitpid(pid, &status, 0) < 0 && errno == EINTR {}
      let signal = status & 0x7F
      let ending: End = signal == 0 ? .exit((status >> 8) & 0xFF) : .signal(signal)
      end.change { $0 = ending }
    }
  }

  deinit {
    kill(SIGKILL)
    closeInput()
  }

  func kill(_ signal: Int32) {
    if end.value == nil { _ = Glibc.kill(pid, signal) }
  }

  func write(_ bytes: [UInt8]) {
    input.withLock { input in
      guard let input else { return }
      var rest = bytes[...]
      while !rest.isEmpty {
        // The count is that of the slice.
        let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(input, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  func closeInput() {
    input.withLock { input in
      if let input { close(input) }
      input = nil
    }
  }

  /// Waits until the process has ended and all its output was read.
  @discardableResult
  func finish(within limit: Duration? = nil) async throws -> Finished {
    let end = try await end.first("the end of process \(pid)", within: limit) { $0 }
    let output = try await output.first("the end of its output") { $0.isOver ? $0 : nil }
    let errors = try await errors.first("the end of its messages") { $0.isOver ? $0 : nil }
    return Finished(end: end, output: output.lines, errors: errors.lines)
  }

  /// Waits until the process has reported a line with all words, for example in its log, this many times.
  /// - Returns: The first of these lines.
  @discardableResult
  func reported(_ words: String..., times: Int = 1, within limit: Duration? = nil) async throws -> String {
    try await Self.line(of: errors, words, times, within: limit)
  }

  /// Waits until the standard output of the process has a line with all words.
  @discardableResult
  func printed(_ words: String...) async throws -> String { try await Self.line(of: output, words, 1, within: nil) }

  private static func line(
    of text: Observed<TextOutput>, _ words: [String], _ times: Int, within limit: Duration?
  ) async throws -> String {
    try await text.first("\(words)", within: limit) { received -> String? in
      let lines = received.lines.filter { line in words.allSatisfy { line.contains($0) } }
      if lines.count >= times { return lines.first }
      if received.isOver { throw Daemon.Unready(received: received) }
      return nil
    }
  }

  private static func ends() throws -> (Int32, Int32) {
    var ends: [Int32] = [0, 0]
    // With close-on-exec, a process that another test starts at the same time does not inherit an end.
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(number: errno) }
    return (ends[0], ends[1])
  }

  private static func spawn(_ words: [String], _ environment: [String], _ standard: [Int32]) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (number, descriptor) in standard.enumerated() {
      unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    // The child must not inherit the descriptors of other tests: their listeners would stay open in the child.
    unsafe spawn_closing_from(&actions, Int32(standard.count))
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // In the background of a script and under nohup, the tests ignore signals that must end a child.
    var standardSignals = sigset_t()
    unsafe sigemptyset(&standardSignals)
    for signal in [SIGPIPE, SIGINT, SIGQUIT, SIGHUP] { unsafe sigaddset(&standardSignals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &standardSignals)
    // The threads of the tests block signals. A child must receive them.
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    var pid: pid_t = 0
    let result = starting.withLock { _ in
      unsafe posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, &variables)
    }
    guard result == 0 else { throw Failure(number: result) }
    return pid
  }

  /// Reads until the end on a thread of its own, and then closes the descriptor.
  static func read(_ descriptor: Int32, into received: Observed<TextOutput>) {
    Thread.detachNewThread {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { break }
        let bytes = buffer[..<count]
        received.change { $0.append(bytes) }
      }
      // After the close, another file can have the same descriptor.
      received.change { $0.isOver = true }
      close(descriptor)
    }
  }
}

/// A process that has ended.
struct Finished: Sendable {
  var end: Child.End
  var output: [String]
  var errors: [String]
}
