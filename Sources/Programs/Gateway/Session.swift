import Authorization
import Clocks
import Encoding
import LineProtocol
import Ports

/// An app's session. It outlives its connection for the grace period.
struct Session {
  /// How many sessions one app may have.
  static let most = 1024

  let id: SessionID
  let app: AppID
  let peer: Peer
  let transport: Transport
  let opened: MonotonicInstant
  /// How the client proved last that it is the app.
  var proof: Identity.Proof
  /// 128 random bits, replaced at each resumption, never logged.
  var token = randomDigits()
  /// Nil while the client is away.
  var connection: (any ClientConnection)?
  var subscriptions = Subscriptions()
  var lastMessageID = 0
  /// The one-time request that is armed or in flight.
  var request: PendingRequest?
  /// The updates that the client has, or believes to have.
  var updates: (id: RequestID, tag: String?)?
  /// The app's open question to the person.
  var question: AskedQuestion?
  /// The indication that the app was notified of last.
  var indication: String
  /// How requests ended while the client was away.
  private var missedEndings: [ServerLine] = []
  /// The newest state of each topic while the client was away.
  private var missedStates: [Topic: String] = [:]

  init(
    id: SessionID, app: AppID, connection: any ClientConnection, proof: Identity.Proof, indication: String,
    at now: MonotonicInstant
  ) {
    self.id = id
    self.app = app
    self.connection = connection
    peer = connection.peer
    transport = connection.transport
    opened = now
    self.proof = proof
    self.indication = indication
  }

  /// Sends a message under each subscription of its topic; a state waits for a client that is away.
  mutating func send(_ topic: Topic, _ json: String) -> [Action] {
    guard let connection else {
      if topic.isState, subscriptions.contains(topic) { missedStates[topic] = json }
      return []
    }
    return subscriptions.consume(topic).map {
      .send(.message(.init(topic: topic.rawValue, sid: $0, json: json)), to: connection)
    }
  }

  /// Sends how a request ended, now or when the client is back.
  mutating func send(ending line: ServerLine) -> [Action] {
    if let connection { return [.send(line, to: connection)] }
    missedEndings.append(line)
    return []
  }

  /// Sends what the client missed while it was away.
  mutating func sendMissed() -> [Action] {
    guard let connection else { return [] }
    var actions = missedEndings.map { Action.send($0, to: connection) }
    for topic in Topic.allCases {
      if let json = missedStates[topic] { actions += send(topic, json) }
    }
    missedEndings = []
    missedStates = [:]
    return actions
  }
}

/// A one-time request from its acceptance to its end.
struct PendingRequest {
  let id: RequestID
  let tag: String?
  let options: OnceRequest
  let received: MonotonicInstant
}

/// An app's question to the person, with the purpose that the app gave when it asked.
struct AskedQuestion {
  let id: RequestID
  let tag: String?
  let purpose: String?
}

/// A command that was not answered yet.
struct IncomingRequest {
  enum Kind {
    case once(OnceRequest)
    case updates(UpdatesRequest)
    case authorization(purpose: String?)
  }

  let session: SessionID
  let kind: Kind
  let tag: String?
  let connection: any ClientConnection
}
