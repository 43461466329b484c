package import Base
package import LineProtocol
import NIOCore
package import Ports
import Synchronization

/// A client that records all calls, and sends no data.
package final class RecordingConnection: ClientConnection {
  /// One call of the gateway.
  package enum Call: Hashable, Sendable {
    case line(ServerLine)
    case once(ServerLine.Message, until: MonotonicInstant)
    /// The line of an update, as text.
    case update(String)
    case recall(FixKinds)
    case refuse(LineError)
  }

  package let number: UInt64
  package let role: ClientRole
  package let transport: Transport
  package let peer = Peer.process(uid: 1000)
  package let sink: (any OutputSink)?
  package let isPolled: Bool
  private let record: @Sendable (Call) -> Void
  private let fullness = Mutex(false)

  /// - Parameter record: receives each call at once.
  package init(
    _ number: UInt64 = 1, role: ClientRole = .app, transport: Transport = .unix, broker: (any OutputSink)? = nil,
    isPolled: Bool = false, _ record: @escaping @Sendable (Call) -> Void = { _ in }
  ) {
    self.number = number
    self.role = role
    self.transport = transport
    sink = broker
    self.isPolled = isPolled
    self.record = record
  }

  package var isFull: Bool {
    get { fullness.withLock { $0 } }
    set { fullness.withLock { $0 = newValue } }
  }

  package func send(_ line: ServerLine) { record(.line(line)) }

  package func send(once message: ServerLine.Message, until: MonotonicInstant) { record(.once(message, until: until)) }

  package func send(update line: UpdateLine) { record(.update(String(buffer: line.bytes))) }

  package func recall(_ kinds: FixKinds) { record(.recall(kinds)) }

  package func refuse(_ error: LineError, tag: String?) { record(.refuse(error)) }
}
