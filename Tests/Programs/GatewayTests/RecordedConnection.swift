import Base
import LineProtocol
import Ports
import StateStore
import Testing

@testable import Gateway

/// The connection of a bridge, which records its calls.
final class RecordedConnection: ClientConnection, OutputSink {
  struct Form: PublicationForm {
    var name = "mqtt://broker parks"
    let address = "mqtt://broker"
    var expires = Duration.seconds(60)
    var mostWaiting = 2
    var canEncrypt = true
    var hasPositionsOnly = false

    struct Fault: Error {}

    func messages(_ fix: PublishedFix) throws -> [Publication.Message] {
      guard canEncrypt else { throw Fault() }
      return [.init(topic: "fix", payload: Array("\(fix.id) \(fix.report.accuracy)".utf8))]
    }
  }

  enum Given: Sendable, Equatable {
    case line(String)
    case fix(Int64, String)
    case recall
  }

  let number = IDGenerator.connections.next()
  let role = ClientRole.app
  let transport = Transport.mqtt
  let peer = Peer.output("mqtt://broker")
  let isFull = false
  let form: any PublicationForm
  var sink: (any OutputSink)? { self }
  private let given: AsyncStream<Given>
  private let giving: AsyncStream<Given>.Continuation

  init(_ form: Form = Form()) {
    self.form = form
    (given, giving) = AsyncStream.makeStream()
  }

  func send(once message: ServerLine.Message, until: MonotonicInstant) { Issue.record("a fix went past the outbox") }

  func send(update line: UpdateLine) { Issue.record("an update went past the outbox") }

  func send(_ line: ServerLine) { giving.yield(.line(line.line)) }

  func publish(_ publication: Publication, until: MonotonicInstant) {
    giving.yield(.fix(publication.number, String(decoding: publication.messages[0].payload, as: UTF8.self)))
  }

  func recall(_ kinds: FixKinds) { giving.yield(.recall) }

  var isConnected: Bool { true }

  func report(_ crossing: RegionCrossing, until: MonotonicInstant) { giving.yield(.line("region \(crossing.region)")) }

  func refuse(_ error: LineError, tag: String?) { send(.error(error, tag: tag, [:])) }

  /// Returns the next call that the closure accepts, and skips the calls before it.
  func next<Found>(_ find: (Given) -> Found?) async throws -> Found {
    for await one in given { if let found = find(one) { return found } }
    throw CancellationError()
  }

  func fix() async throws -> (number: Int64, text: String) {
    try await next { if case .fix(let number, let text) = $0 { (number, text) } else { nil } }
  }

  func line(_ beginning: String) async throws -> String {
    try await next { if case .line(let line) = $0, line.hasPrefix(beginning) { line } else { nil } }
  }
}

extension Gateway {
  /// Notes that the broker of a bridge is connected.
  func connect(_ bridge: RecordedConnection) { connected(bridge, with: .five, awaitingSubscriberFor: nil) }
}
