package import Base
package import LineProtocol

/// The connection of an output (for example a web server) that gets a fix at each press of the button. The gateway
/// itself makes the requests. The fixes go to `sink`, and all other lines are ignored.
package final class EachPressConnection: ClientConnection {
  package let number = IDGenerator.connections.next()
  package let role = ClientRole.app
  package let transport: Transport
  package let peer: Peer
  package let sink: (any OutputSink)?
  package let isFull = false
  package let isForEachPress = true

  package init(to sink: any OutputSink, over transport: Transport, peer: Peer) {
    self.sink = sink
    self.transport = transport
    self.peer = peer
  }

  package func send(_ line: ServerLine) {}

  package func send(once message: ServerLine.Message, until: MonotonicInstant) {
    preconditionFailure("the fix of an output goes to its sink through the outbox")
  }

  package func send(update line: UpdateLine) { preconditionFailure("an output has no updates") }

  package func recall(_ kinds: FixKinds) { sink?.recall(kinds) }

  package func refuse(_ error: LineError, tag: String?) {}
}
