import Base
import Glibc
import LineProtocol
import OwnerScreens
import Synchronization

/// A connection to a gateway that counts the received log entries, and shows the count on the terminal.
struct EntryProgress<Gateway: OwnerGateway>: OwnerGateway {
  /// The minimum count of log entries to show. Fewer entries arrive so fast that no count is necessary.
  static var least: Int { 20_000 }

  private let gateway: Gateway
  private let terminal: Int32?
  private let count = Counter()

  /// Creates a connection with a counter.
  /// - Parameters:
  ///   - errors: The descriptor of the terminal that shows the count.
  ///   - output: The descriptor to which the program writes its result at the same time; nil if the program writes the
  ///     result later. If this descriptor is a terminal, the count is not shown.
  init(_ gateway: Gateway, errors: Int32 = STDERR_FILENO, output: Int32? = STDOUT_FILENO) {
    self.gateway = gateway
    terminal = isatty(errors) == 1 && output.map { isatty($0) == 0 } ?? true ? errors : nil
  }

  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    let reply = try await gateway.perform(command)
    let count = count.add(reply.messages.count)
    if count >= Self.least, !reply.messages.isEmpty { show("\r\(count) entries\u{1B}[K") }
    return reply
  }

  func localTime(of time: UTCTime) -> String { gateway.localTime(of: time) }

  var logTime: (@Sendable (UTCTime) -> String)? { gateway.logTime }

  func pause() async throws { try await gateway.pause() }

  func clear() { if count.add(0) >= Self.least { show("\r\u{1B}[K") } }

  private func show(_ text: String) {
    if let terminal { write(text, to: terminal) }
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)

  func add(_ number: Int) -> Int {
    count.withLock { count in
      count += number
      return count
    }
  }
}
