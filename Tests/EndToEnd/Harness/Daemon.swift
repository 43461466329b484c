import Foundation
import Glibc
import Testing

/// The programs under test. The build puts them beside the tests.
enum Program {
  static let onefixd = beside("onefixd")
  static let onefix = beside("onefix")
  static let parkFinder = beside("park-finder")
  static let conformanceDriver = beside("conformance-driver")

  private static func beside(_ name: String) -> String {
    let runner = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    return runner.deletingLastPathComponent().appendingPathComponent(name).path
  }
}

/// A directory with a short name, because the path of a socket has at most 103 bytes. The deinitializer removes it.
final class Folder: Sendable {
  let path: String

  init() throws {
    var template = [CChar]("/tmp/onefix-e2e-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Child.Failure(number: errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ text: String, to name: String) throws -> String {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path(name)))
    return path(name)
  }

  /// Writes a shell script, for example one that takes the place of a program.
  @discardableResult
  func writeProgram(_ body: String, to name: String) throws -> String {
    let file = try write("#!/bin/sh\n\(body)\n", to: name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    return file
  }

  func has(_ name: String) -> Bool {
    var status = stat()
    return unsafe lstat(path(name), &status) == 0
  }

  var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// A real `onefixd` in a directory of its own.
final class Daemon: Sendable {
  let folder: Folder
  let process: Child

  var socket: String { folder.path("s") }
  var ownerSocket: String { folder.path("owner.sock") }
  var database: String { folder.path("state/onefix.sqlite") }

  /// Starts the daemon and returns when it accepts commands.
  /// - Parameters:
  ///   - folder: The folder of an earlier daemon. Nil for a new folder.
  ///   - configuration: The content of `onefix.toml` except the apps.
  ///   - limit: The arguments of the shell's `ulimit`, for example `-n 48`. Nil for the limits of the system.
  ///   - wrapper: The words before the command of the daemon, for example `unshare --net`.
  static func start(
    in folder: Folder? = nil, receiver: String? = nil, configuration: String = "", _ arguments: [String] = [],
    limit: String? = nil, wrapper: [String] = [], environment: [String: String] = [:]
  ) async throws -> Daemon {
    let folder = try folder ?? Folder()
    let file = try folder.write(configuration + "\n" + Self.configuration, to: "onefix.toml")
    var words = [Program.onefixd, "--socket", folder.path("s"), "--state", folder.path("state"), "--no-panel"]
    words +=
      ["--config", file] + (receiver.map { ["--receiver", $0] } ?? []) + ["--allow-simulated-press"] + arguments
    if let limit { words = ["/bin/sh", "-c", "ulimit \(limit); exec \"$0\" \"$@\""] + words }
    words = wrapper + words
    let daemon = Daemon(folder, try Child(words[0], Array(words.dropFirst()), environment: environment))
    _ = try await daemon.process.errors.first("READY of the daemon") { received in
      if received.isOver { throw Unready(received: received) }
      return received.lines.first { "\($0) ".hasPrefix("READY socket=\(daemon.socket) ") }
    }
    return daemon
  }

  struct Unready: Error { var received: TextOutput }

  /// The apps. With a real receiver, only configured apps can ask.
  static let configuration = ["onefix", "peer", "other"].map { "[[app]]\nid = \"\($0)\"\nuid = \(getuid())\n" }.joined()

  private init(_ folder: Folder, _ process: Child) {
    self.folder = folder
    self.process = process
  }

  /// Runs the body of a test with a daemon and then stops the daemon, which must end at once with status 0.
  /// - Parameter app: An app that gets an authorization before the body.
  static func with(
    receiver: String? = nil, configuration: String = "", authorizing app: String? = nil,
    _ body: (Daemon) async throws -> Void
  ) async throws {
    let daemon = try await start(receiver: receiver, configuration: configuration)
    if let app { try await daemon.authorize(app) }
    try await body(daemon)
    try await daemon.stopChecked()
  }

  /// Stops the daemon, which must end with status 0.
  func stopChecked() async throws {
    let end = try await stop()
    #expect(end.end == .exit(0), "\(end.errors)")
  }

  @discardableResult
  func stop() async throws -> Finished {
    process.kill(SIGTERM)
    return try await process.finish(within: .seconds(30))
  }

  // MARK: Commands

  /// Starts an `onefix` command, as a shell does.
  func begin(_ words: String...) throws -> Child { try begin(words) }

  func begin(_ words: [String]) throws -> Child {
    try Child(Program.onefix, words, environment: ["ONEFIX_SOCKET": socket])
  }

  /// Runs an `onefix` command until it ends.
  @discardableResult
  func onefix(_ words: String...) async throws -> Finished { try await begin(words).finish() }

  private var hand: Hand { Hand(ownerSocket: ownerSocket) }

  /// Presses the button once.
  /// - Returns: The effect of the press, a word of the line protocol.
  @discardableResult
  func press() async throws -> String { try #require(try await hand.perform("PRESS")["effect"]) }

  /// Presses until a press has one of the effects, or until a condition holds. A press that follows another too closely
  /// has no effect.
  func press(until effects: Set<String>, or isOver: @escaping @Sendable () -> Bool = { false }) async throws {
    try await hand.press("a press with the effect \(effects)") { $0.map(effects.contains) ?? false || isOver() }
  }

  /// Holds the button.
  @discardableResult
  func hold() async throws -> String { try #require(try await hand.perform("HOLD")["effect"]) }

  /// Starts a request and returns when the request waits for a press.
  func request(_ words: String...) async throws -> Child {
    let request = try begin(["request"] + words)
    try await request.reported("waiting for a press")
    return request
  }

  /// Presses until a process ends.
  func press(untilEndOf process: Child) async throws {
    try await hand.press("the end of process \(process.pid)") { _ in process.end.value != nil }
  }

  /// Requests a fix and presses until the app has it.
  func fix(_ words: String...) async throws -> Fix {
    let request = try begin(["request"] + words)
    return try await pressed(request)
  }

  /// Presses until a request has its fix.
  func pressed(_ request: Child) async throws -> Fix {
    try await press(untilEndOf: request)
    let finished = try await request.finish()
    try #require(finished.end == .exit(0), "\(finished)")
    try #require(finished.output.count == 1)
    return try Fix(finished.output[0])
  }

  /// Confirms the first prompt of an app. The first fix is discarded.
  func authorize(_ app: String = "onefix") async throws { _ = try await fix("--app", app) }

  /// Allows an app as an owner, so that one press serves it. There is no first fix, and no press can be left over.
  func allow(_ app: String) async throws { try #require(try await onefix("allow", app).end == .exit(0)) }

  /// Returns the status that owners see, by key. Many tests poll the status, and a process of `onefix status` for each
  /// look would cost more than the look.
  func status() async throws -> [String: String] { try await hand.perform("STATUS") }

  /// Waits until a key of the status has a value.
  func status(_ key: String, is value: String?) async throws {
    _ = try await eventually("\(key) to be \(value ?? "absent")") { try await status()[key] == value ? true : nil }
  }

  /// Returns the entries of the log as JSON.
  func log() async throws -> [String] {
    let log = try await onefix("log", "--json")
    try #require(log.end == .exit(0), "\(log.errors)")
    return log.output
  }

  /// Queries the database with the rights of its owner.
  func sqlite(_ query: String) async throws -> [String] { try await folder.sqlite(query) }
}

extension Folder {
  func sqlite(_ query: String) async throws -> [String] {
    let answer = try await Child("sqlite3", ["-readonly", path("state/onefix.sqlite"), query]).finish()
    try #require(answer.end == .exit(0), "\(answer.errors)")
    return answer.output
  }
}

extension Folder {
  /// Writes the description of a board whose lines are on a chip that no machine has.
  func writeUnwiredBoard(to name: String) throws {
    _ = try write(
      """
      name = "real"
      receiver = "uart:/dev/onefix-nowhere"
      [[button]]
      name = "main"
      chip = "no-machine-has-this"
      line = 4
      [indicator]
      chip = "no-machine-has-this"
      line = 5
      """, to: name)
  }
}

extension Program {
  /// Whether strace may trace the processes of this user.
  static var mayTrace: Bool {
    let scope = try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
    return geteuid() == 0 || scope?.hasPrefix("0") ?? true
  }
}
