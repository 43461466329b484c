package import LineProtocol
package import OneFixClient
import OwnerVerbs
import Synchronization

/// A connection to the gateway through the owners' socket.
package struct OwnerConnection: OwnerGateway {
  private let client: OwnerClient

  /// - Parameter client: a client of the owners' socket. The client sends one command at a time.
  package init(client: OwnerClient) {
    self.client = client
  }

  package func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    let collector = MessageCollector()
    do {
      let fields = try await client.perform(command) { collector.append($0) }
      return (fields, collector.all)
    } catch {
      if case .refused(let refusal, _) = error { throw refusal }
      throw error
    }
  }
}

private final class MessageCollector: Sendable {
  private let messages = Mutex<[ServerLine.Message]>([])

  var all: [ServerLine.Message] { messages.withLock { $0 } }

  func append(_ message: ServerLine.Message) { messages.withLock { $0.append(message) } }
}
