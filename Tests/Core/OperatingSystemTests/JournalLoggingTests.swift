import Glibc
import Logging
@testable import OperatingSystem
import Testing

@Suite struct JournalLoggingTests {
  private let journal: FakeJournal
  private let output: LogOutput

  init() throws {
    journal = try FakeJournal()
    output = LogOutput(program: "onefixd", levels: LogLevels(), journal: journal.path)
  }

  private func logger(_ subsystem: Subsystem) -> Logger {
    Logger(label: subsystem.rawValue) { output.handler(label: $0) }
  }

  @Test func `a message has its priority, subsystem, metadata and source location`() throws {
    logger(.receiver).warning(
      "receiver absent", metadata: ["cause": "no such file", "line-carries": "960", "from the next start on": "é"])
    let fields = try #require(journal.next())
    #expect(fields["MESSAGE"] == "receiver absent [cause=no such file from the next start on=é line-carries=960]")
    #expect(fields["PRIORITY"] == "4" && fields["SYSLOG_IDENTIFIER"] == "onefixd")
    #expect(fields["ONEFIX_SUBSYSTEM"] == "receiver" && fields["ONEFIX_CAUSE"] == "no such file")
    #expect(fields["ONEFIX_LINE_CARRIES"] == "960" && fields["ONEFIX_FROM_THE_NEXT_START_ON"] == "é")
    #expect(fields["CODE_FILE"]?.hasSuffix("JournalLoggingTests.swift") == true)
    #expect(fields["CODE_FUNC"]?.isEmpty == false && fields["CODE_LINE"].flatMap(Int.init) ?? 0 > 0)
    #expect(fields.count == 10 && journal.next() == nil)
  }

  @Test func `line breaks in messages and values are replaced, and a long value is cut`() throws {
    let text = "one\nPRIORITY=0\r\n\ntwo=\u{2028}three\u{1B}[2J\n"
    let metadata: Logger.Metadata = [
      "long": "\(String(repeating: "灯", count: 30_000))", "cause": "refused:\n<0>onefixd: locked",
    ]
    logger(.store).error("\(text)", metadata: metadata)
    let fields = try #require(journal.next())
    let line = "one PRIORITY=0 two= three [2J [cause=refused: <0>onefixd: locked long="
    #expect(fields["MESSAGE"]?.hasPrefix(line) == true)
    #expect(fields["PRIORITY"] == "3" && fields["ONEFIX_CAUSE"] == "refused: <0>onefixd: locked")
    let long = try #require(fields["ONEFIX_LONG"])
    #expect(long.utf8.count <= JournalEntry.longestValue + 3 && long.hasSuffix("灯…") && long.hasPrefix("灯"))
  }

  @Test(arguments: [16_384, 16_385])
  func `a value has at most 16,384 bytes before it is cut`(length: Int) throws {
    logger(.store).error("text", metadata: ["long": "\(String(repeating: "x", count: length))"])
    let fields = try #require(journal.next())
    #expect(fields["ONEFIX_LONG"] == String(repeating: "x", count: 16_384) + (length > 16_384 ? "…" : ""))
  }

  /// journald ignores fields with longer names.
  @Test func `the name of a field has at most 64 characters`() {
    let key = String(repeating: "long-", count: 100)
    #expect(JournalEntry.name(of: key) == String("ONEFIX_\(key)".uppercased().replacing("-", with: "_").prefix(64)))
  }

  @Test(
    arguments: zip(
      [Logger.Level.trace, .debug, .info, .notice, .warning, .error, .critical], ["7", "7", "6", "5", "4", "3", "2"]))
  func `levels become syslog priorities`(level: Logger.Level, priority: String) {
    output.levels = LogLevels(general: .trace)
    logger(.gateway).log(level: level, "said")
    #expect(journal.next()?["PRIORITY"] == priority)
  }

  @Test func `a subsystem's level takes effect immediately for existing loggers of this subsystem only`() {
    let (receiver, store) = (logger(.receiver), logger(.store))
    receiver.debug("said")
    #expect(journal.next() == nil)
    output.levels = LogLevels(specific: [.receiver: .debug])
    receiver.debug("said")
    store.debug("said")
    #expect(journal.next()?["ONEFIX_SUBSYSTEM"] == "receiver")
    #expect(journal.next() == nil)
    // A logger with its own level keeps it.
    var quiet = receiver
    quiet.logLevel = .error
    quiet.warning("said")
    #expect(journal.next() == nil)
  }

  @Test func `a full journal does not block: lost messages are counted, and reported when it accepts messages again`() {
    var sent = 0
    while output.counts.lost < 3, sent < 100_000 {
      logger(.gateway).error("\(String(repeating: "x", count: 8000))")
      sent += 1
    }
    #expect(output.counts.lost == 3 && output.counts.messages[.error] == sent)
    for _ in 0..<sent - 3 { #expect(journal.next()?["PRIORITY"] == "3") }
    #expect(journal.next() == nil)
    logger(.gateway).error("again")
    #expect(journal.next()?["MESSAGE"] == "again")
    let told = journal.next()
    #expect(told?["ONEFIX_COUNT"] == "3" && told?["PRIORITY"] == "4")
    logger(.gateway).error("and again")
    #expect(journal.next()?["MESSAGE"] == "and again")
    #expect(journal.next() == nil)
  }

  @Test func `without a journal, and with a standard error that is not a socket, a message is lost and counted`() {
    let nowhere = LogOutput(program: "onefixd", levels: LogLevels(), journal: "/tmp/onefix-there-is-none")
    Logger(label: "gateway") { nowhere.handler(label: $0) }.error("said to nobody, by a test")
    // The standard error of the tests can be a socket.
    var status = stat()
    let isSocket = unsafe fstat(STDERR_FILENO, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
    #expect(nowhere.counts.lost == (isSocket ? 0 : 1))
  }

  @Test func `standard error is the journal if device and inode match`() {
    var status = stat()
    #expect(unsafe fstat(STDERR_FILENO, &status) == 0)
    let (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    #expect(JournalStream.isStandardError(stream: "\(device):\(number)"))
    for stream in [
      nil, "", "\(device)", "\(device):\(number + 1)", "\(device + 1):\(number)", "x:\(number)", ":", "1:2:3",
    ] {
      #expect(!JournalStream.isStandardError(stream: stream))
    }
  }
}
