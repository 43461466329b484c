import Glibc
package import Logging
import Synchronization
import OperatingSystem

/// Where the daemon logs: to journald, with fields, where that is what its standard error is, else to its standard error.
///
/// Guaranteed: journald is never waited for. What it does not take goes to the standard error, if that takes it at once,
/// and else is lost and counted.
package final class LogOutput: Sendable {
  /// How often something was logged.
  package struct Counts: Sendable {
    package fileprivate(set) var messages: [LogLevel: Int] = [:]
    package fileprivate(set) var lost = 0
  }

  private struct State {
    var levels: LogLevels
    var counts = Counts()
    /// Of those that were lost, how many nobody was told of.
    var untold = 0
  }

  private let program: String
  /// Nil where it is the standard error.
  private let journal: DatagramSocket?
  private let state: Mutex<State>

  /// - Parameters:
  ///   - program: as the journal has it for an identifier.
  ///   - journalStream: `$JOURNAL_STREAM`.
  package convenience init(program: String, levels: LogLevels, journalStream: String?) {
    let isJournal = JournalStream.isStandardError(stream: journalStream)
    self.init(program: program, levels: levels, journal: isJournal ? JournalStream.socket : nil)
  }

  init(program: String, levels: LogLevels, journal path: String?) {
    self.program = program
    journal = path.flatMap { DatagramSocket($0) }
    state = Mutex(State(levels: levels))
  }

  /// What is logged; it may be changed at any time, and holds at once.
  package var levels: LogLevels {
    get { state.withLock { $0.levels } }
    set { state.withLock { $0.levels = newValue } }
  }

  package var counts: Counts { state.withLock { $0.counts } }

  /// For `LoggingSystem.bootstrap`.
  /// - Parameter label: a subsystem's name; another one's messages are the gateway's.
  package func handler(label: String) -> any LogHandler { SubsystemLogHandler(label: label, output: self) }

  func level(of subsystem: Subsystem) -> Logger.Level { Logger.Level(state.withLock { $0.levels[subsystem] }) }

  /// Writes a message. The message and its metadata are put on one line first: they may have come from a library, or from
  /// another machine.
  func write(_ event: LogEvent, _ metadata: Logger.Metadata, label: String) {
    var event = event
    event.message = "\(Self.oneLine("\(event.message)"))"
    let metadata = metadata.mapValues { Logger.MetadataValue.string(Self.oneLine("\($0)")) }
    state.withLock { $0.counts.messages[LogLevel(event.level), default: 0] += 1 }
    guard let journal else {
      event.metadata = metadata.isEmpty ? nil : metadata
      StreamLogHandler.standardError(label: label).log(event: event)
      return
    }
    let entry = entry(event, metadata, label)
    switch journal.send(entry.bytes) {
    case .sent: tellLost(journal)
    case .full: noteLost()
    case .absent: writeWithoutFields(event, metadata, label)
    }
  }

  private func entry(_ event: LogEvent, _ metadata: Logger.Metadata, _ label: String) -> JournalEntry {
    var entry = JournalEntry()
    entry.add("MESSAGE", text(event, metadata))
    entry.add("PRIORITY", "\(event.level.priority)")
    entry.add("SYSLOG_IDENTIFIER", program)
    entry.add("ONEFIX_SUBSYSTEM", label)
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { entry.add(JournalEntry.name(of: key), "\(value)") }
    entry.add("CODE_FILE", event.file)
    entry.add("CODE_LINE", "\(event.line)")
    entry.add("CODE_FUNC", event.function)
    return entry
  }

  /// Replaces line ends and other control characters by spaces, one for those that follow each other.
  private static func oneLine(_ text: String) -> String {
    text.unicodeScalars.split(omittingEmptySubsequences: true) { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }.map(String.init).joined(separator: " ")
  }

  /// What journalctl shows without being asked for fields: a cause and a remedy are to be seen, too.
  private func text(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
    let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return pairs.isEmpty ? "\(event.message)" : "\(event.message) [\(pairs)]"
  }

  /// To the stream behind the standard error, where a line may begin with its priority. (systemd: sd-daemon(3))
  private func writeWithoutFields(_ event: LogEvent, _ metadata: Logger.Metadata, _ label: String) {
    let bytes = Array("<\(event.level.priority)>\(label): \(text(event, metadata))\n".utf8)
    let sent = unsafe send(STDERR_FILENO, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    if sent != bytes.count { noteLost() }
  }

  private func noteLost() {
    state.withLock { state in
      state.counts.lost += 1
      state.untold += 1
    }
  }

  /// It takes something again, and is told how much it did not.
  private func tellLost(_ journal: DatagramSocket) {
    let lost = state.withLock { state in
      defer { state.untold = 0 }
      return state.untold
    }
    guard lost > 0 else { return }
    let event = LogEvent(
      level: .warning, message: "messages were lost: the journal did not take them", metadata: nil, source: nil,
      file: #fileID, function: #function, line: #line)
    let entry = entry(event, ["count": "\(lost)"], Subsystem.gateway.rawValue)
    if journal.send(entry.bytes) != .sent {
      state.withLock { $0.untold += lost }
    }
  }
}

/// What one logger writes through.
private struct SubsystemLogHandler: LogHandler {
  let label: String
  private let subsystem: Subsystem
  let output: LogOutput
  /// Nil where it is the subsystem's.
  private var ownLevel: Logger.Level?
  var metadata: Logger.Metadata = [:]

  init(label: String, output: LogOutput) {
    self.label = label
    subsystem = Subsystem(rawValue: label) ?? .gateway
    self.output = output
  }

  var logLevel: Logger.Level {
    get { ownLevel ?? output.level(of: subsystem) }
    set { ownLevel = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    output.write(event, metadata.merging(event.metadata ?? [:]) { $1 }, label: label)
  }
}

extension Logger.Level {
  fileprivate init(_ level: LogLevel) {
    self =
      switch level {
      case .trace: .trace
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }

  /// As syslog has them, which has none below `debug`.
  fileprivate var priority: Int {
    switch self {
    case .trace, .debug: 7
    case .info: 6
    case .notice: 5
    case .warning: 4
    case .error: 3
    case .critical: 2
    }
  }
}

extension LogLevel {
  fileprivate init(_ level: Logger.Level) {
    self =
      switch level {
      case .trace: .trace
      case .debug: .debug
      case .info: .info
      case .notice: .notice
      case .warning: .warning
      case .error: .error
      case .critical: .critical
      }
  }
}
