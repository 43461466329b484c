import Authorization
import Clocks
import LineProtocol
import LineServer

/// An app's session: what outlives its connection for the grace period.
struct Session {
  /// How long a lost connection may be resumed.
  static let grace: Duration = .seconds(5)
  /// How many sessions one app may have.
  static let most = 1024

  let id: SessionID
  let app: AppID
  let peer: Peer
  let transport: String
  /// 128 random bits, replaced at each resume, never logged.
  var token = randomHex(bytes: 16)
  /// Nil while the client is away.
  var connection: Connection?
  /// Until when it may come back, while it is away.
  var awayUntil: MonotonicInstant?
  /// What is left of the grace period: it adds up until a person acts for the app.
  var graceLeft = Session.grace
  var subscriptions = Subscriptions()
  var lastMessageID = 0
  /// The request that is armed or in flight.
  var request: PendingRequest?
  /// What the app was last told of the indicator: it is told only of changes.
  var toldIndication = "off"

  init(id: SessionID, app: AppID, connection: Connection) {
    self.id = id
    self.app = app
    self.connection = connection
    peer = connection.peer
    transport = connection.transport
  }

  mutating func tell(_ topic: Topic, _ json: String) {
    if let connection { subscriptions.tell(topic, json, on: connection) }
  }
}

/// A request from its acceptance to its end.
struct PendingRequest {
  let id: RequestID
  let tag: String?
  let options: OnceRequest
}

/// An owner's connection.
struct OwnerSession {
  let connection: Connection
  var subscriptions = Subscriptions()
}

/// Digits that nobody can guess.
func randomHex(bytes: Int) -> String {
  var generator = SystemRandomNumberGenerator()
  return (0..<bytes).map { _ in
    let text = String(UInt8.random(in: 0...255, using: &generator), radix: 16)
    return text.utf8.count == 1 ? "0\(text)" : text
  }.joined()
}
