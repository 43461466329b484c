import Authorization
import Base
import LineProtocol
import Ports

/// The session of an app. Without a connection, the session continues for the grace period.
///
/// The session is a class, so that the gateway reads its connection for each update without a copy. With copies, a fix
/// to 1,000 subscribers would take 5 % more processor time, and would miss its goal (`Scripts/bench fanout`).
final class Session {
  /// The maximum number of sessions of an app.
  static let most = 1024

  let id: SessionID
  let app: AppID
  let peer: Peer
  let transport: Transport
  let opened: MonotonicInstant
  /// The proof (transport, key, token or certificate) of the client's last authentication.
  var proof: Identity.Proof
  /// The token with which the client can resume the session: 128 random bits. Each resumption replaces the token. The
  /// token is never logged.
  var token = randomDigits()
  /// The connection; nil while the client is disconnected.
  var connection: (any ClientConnection)?
  var subscriptions = Subscriptions()
  /// The number of the last message that the client can acknowledge; 0 before the first such message.
  var lastMessageID = 0
  /// The one-time request, which waits for a press or for its fix.
  var request: PendingRequest?
  /// The requested stream of updates.
  var updates: (id: RequestID, tag: String?)?
  /// The authorization that the app asked the person for; nil if the app waits for no answer.
  var question: AskedQuestion?
  /// The indication that the client received last.
  var indication: String
  /// The messages that wait until the client reconnects: the results of requests that ended, and the newest state of
  /// each topic that changed.
  private var missed: (endings: [ServerLine], states: [Topic: String]) = ([], [:])

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

  /// Sends a message to the client once for each of its subscriptions to the topic. If the client is disconnected, a
  /// message about a state waits until the client reconnects.
  func send(_ topic: Topic, _ json: String) {
    guard let connection else {
      if topic.isState, subscriptions.contains(topic) { missed.states[topic] = json }
      return
    }
    for sid in subscriptions.consume(topic) {
      connection.send(.message(.init(topic: topic.rawValue, sid: sid, json: json)))
    }
  }

  /// Sends the result of a request, immediately or when the client reconnects.
  func send(ending line: ServerLine) {
    if let connection { connection.send(line) } else { missed.endings.append(line) }
  }

  /// Sends the messages that waited until the client reconnected.
  func sendMissed() {
    guard let connection else { return }
    for line in missed.endings { connection.send(line) }
    for topic in Topic.allCases {
      if let json = missed.states[topic] { send(topic, json) }
    }
    missed = ([], [:])
  }

  /// Removes the one-time request, the updates or the question with this id.
  /// - Returns: The tag of the command; nil if the command had no tag.
  func removeRequest(_ id: RequestID) -> String? {
    if let request, request.id == id {
      self.request = nil
      return request.tag
    }
    if let updates, updates.id == id {
      self.updates = nil
      return updates.tag
    }
    guard let question, question.id == id else { return nil }
    self.question = nil
    return question.tag
  }
}

/// A one-time request from its acceptance to its end.
struct PendingRequest {
  let id: RequestID
  let tag: String?
  let options: OnceRequest
  /// The time at which the gateway accepted the request.
  let received: MonotonicInstant
}

/// An app's request for an authorization, which waits for the answer of a person.
struct AskedQuestion {
  let id: RequestID
  let tag: String?
  let purpose: String?
}

/// A command of an app that the gateway has not answered yet.
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
