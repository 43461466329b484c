package import Base
package import LineProtocol

/// The connection of an output that gets a fix by each press. The gateway makes the requests of this connection itself.
/// The lines of the gateway have no reader. The fixes go to the sink.
package final class EachPressConnection: ClientConnection {
  package let number = IDGenerator.connections.next()
  package let role = ClientRole.app
  package let transport: Transport
  package let peer: Peer
  package let broker: (any BrokerSink)?
  package let isFull = false
  package let isForEachPress = true

  package init(to sink: any BrokerSink, over transport: Transport, peer: Peer) {
    broker = sink
    self.transport = transport
    self.peer = peer
  }

  package func send(_ line: ServerLine) {}

  package func send(once message: ServerLine.Message, until: MonotonicInstant) {
    preconditionFailure("the fix of an output goes to its sink through the outbox")
  }

  package func send(update line: UpdateLine) { preconditionFailure("an output has no updates") }

  /// The connection of the bridge withdraws the fixes, because both have the same sink.
  package func recall(_ kinds: FixKinds) {}

  package func refuse(_ error: LineError, tag: String?) {}
}
