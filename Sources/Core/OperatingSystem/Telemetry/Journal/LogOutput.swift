import Glibc
package import Logging
import Synchronization

/// The log output of the daemon. If standard error is connected to journald, log messages go to journald with their
/// metadata as fields. Otherwise, or if journald is absent, the messages go to standard error.
///
/// A write to journald never blocks. If journald has no room for a message, the message is lost, and the count of lost
/// messages increases.
package final class LogOutput: Sendable {
  /// The counts of log messages by level, and of lost log messages, since the program started.
  package struct Counts: Sendable {
    package fileprivate(set) var messages: [Logger.Level: Int] = [:]
    package fileprivate(set) var lost = 0
  }

  private struct State {
    var levels: LogLevels
    var counts = Counts()
    /// The count of lost messages since the last log message about lost messages.
    var unreported = 0
  }

  private let program: String
  /// The socket of journald; nil if the output is standard error.
  private let journal: DatagramSocket?
  private let state: Mutex<State>

  /// Creates the log output of a program.
  /// - Parameters:
  ///   - program: The name of the program in journald.
  ///   - levels: The minimum levels of logged messages.
  ///   - journalStream: The value of the variable `$JOURNAL_STREAM`; nil if not set.
  package convenience init(program: String, levels: LogLevels, journalStream: String?) {
    let isJournal = JournalStream.isStandardError(stream: journalStream)
    self.init(program: program, levels: levels, journal: isJournal ? JournalStream.socket : nil)
  }

  init(program: String, levels: LogLevels, journal path: String?) {
    self.program = program
    journal = path.flatMap { DatagramSocket($0) }
    state = Mutex(State(levels: levels))
  }

  /// The minimum levels of logged messages. A change takes effect immediately.
  package var levels: LogLevels {
    get { state.withLock { $0.levels } }
    set { state.withLock { $0.levels = newValue } }
  }

  package var counts: Counts { state.withLock { $0.counts } }

  /// Creates a log handler for `LoggingSystem.bootstrap`.
  /// - Parameter label: The raw value of a `Subsystem` (area of the daemon). Any other label counts as `gateway`.
  package func handler(label: String) -> any LogHandler { SubsystemLogHandler(label: label, output: self) }

  func level(of subsystem: Subsystem) -> Logger.Level { state.withLock { $0.levels[subsystem] } }

  /// Writes a log message. Line breaks in the texts become spaces, because the texts can come from another machine.
  func write(_ event: LogEvent, _ metadata: Logger.Metadata, label: String) {
    var event = event
    event.message = "\(Self.oneLine("\(event.message)"))"
    let metadata = metadata.mapValues { Logger.MetadataValue.string(Self.oneLine("\($0)")) }
    state.withLock { $0.counts.messages[event.level, default: 0] += 1 }
    guard let journal else {
      event.metadata = metadata
      StreamLogHandler.standardError(label: label).log(event: event)
      return
    }
    let entry = entry(event, metadata, label)
    switch journal.send(entry.bytes) {
    case .sent: reportLost(journal)
    case .full: recordLost()
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

  /// Replaces each sequence of line breaks and other control characters by one space.
  private static func oneLine(_ text: String) -> String {
    text.unicodeScalars.split(omittingEmptySubsequences: true) { scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: true
      default: false
      }
    }.map(String.init).joined(separator: " ")
  }

  /// Returns the message with its metadata in brackets, because journalctl does not show separate fields by default.
  private func text(_ event: LogEvent, _ metadata: Logger.Metadata) -> String {
    let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    return pairs.isEmpty ? "\(event.message)" : "\(event.message) [\(pairs)]"
  }

  /// Writes a log message to standard error. The text line begins with the syslog priority in angle brackets. (systemd:
  /// sd-daemon(3))
  private func writeWithoutFields(_ event: LogEvent, _ metadata: Logger.Metadata, _ label: String) {
    let bytes = Array("<\(event.level.priority)>\(label): \(text(event, metadata))\n".utf8)
    let sent = unsafe send(STDERR_FILENO, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
    if sent != bytes.count { recordLost() }
  }

  private func recordLost() {
    state.withLock { state in
      state.counts.lost += 1
      state.unreported += 1
    }
  }

  /// Writes a log message with the count of lost messages, if messages were lost since the last such message.
  private func reportLost(_ journal: DatagramSocket) {
    let lost = state.withLock { state in
      defer { state.unreported = 0 }
      return state.unreported
    }
    guard lost > 0 else { return }
    let event = LogEvent(
      level: .warning, message: "messages lost: the journal did not accept them", metadata: nil, source: nil,
      file: #fileID, function: #function, line: #line)
    let entry = entry(event, ["count": "\(lost)"], Subsystem.gateway.rawValue)
    if journal.send(entry.bytes) != .sent {
      state.withLock { $0.unreported += lost }
    }
  }
}

private struct SubsystemLogHandler: LogHandler {
  let label: String
  private let subsystem: Subsystem
  let output: LogOutput
  /// The log level that was set for this logger; nil if the level of its subsystem (area of the daemon) applies.
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
  /// The syslog priority of the log level. Syslog has no priority below `debug`.
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
