import Authorization
import Base
import LineProtocol
import Ports

/// The session of an app. Without a connection, the session lasts for the grace period (5 s), in which the client can
/// resume it.
///
/// The type is a class so that each update reads its connection without a copy. With copies, a fix for 1,000
/// subscribers takes 5 % more processor time (`Scripts/bench fanout`).
final class Session {
  /// The maximum count of sessions of one app.
  static let most = 1024

  let id: SessionID
  let app: AppID
  let peer: Peer
  let transport: Transport
  let opened: MonotonicInstant
  /// The proof of the last authentication of the client: its transport, key, token or certificate.
  var proof: Identity.Proof
  /// The secret with which the client can resume the session: 128 random bits, new after each resumption. The secret is
  /// never logged.
  var token = randomDigits()
  /// The connection of the client; nil while the client is disconnected.
  var connection: (any ClientConnection)?
  var subscriptions = Subscriptions()
  /// The identifier of the last message that the client has to acknowledge; 0 before the first message. The identifiers
  /// count up from 1.
  var lastMessageID = 0
  /// The one-time request that waits for a press of the button or for its fix; nil if there is none.
  var request: PendingRequest?
  /// The stream of updates (repeated fixes) that the app has started; nil if there is none.
  var updates: (id: RequestID, tag: String?)?
  /// The request for an authorization that a person has not answered yet; nil if there is none.
  var question: AskedQuestion?
  /// The name of the indication (the pattern of the LED) in the last message to the client.
  var indication: String
  /// The stored messages for a disconnected client: the results of ended requests, and the latest state of each topic.
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

  /// Sends a message to the client, once for each subscription to the topic. For a disconnected client, the session
  /// stores the latest message of each topic that reports a state.
  func send(_ topic: Topic, _ json: String) {
    guard let connection else {
      if topic.isState, subscriptions.contains(topic) { missed.states[topic] = json }
      return
    }
    for sid in subscriptions.consume(topic) {
      connection.send(.message(.init(topic: topic.rawValue, sid: sid, json: json)))
    }
  }

  /// Sends the result of a request to the client, now or after the next connection of the client.
  func send(ending line: ServerLine) {
    if let connection { connection.send(line) } else { missed.endings.append(line) }
  }

  /// Sends the messages that were stored while the client was disconnected.
  func sendMissed() {
    guard let connection else { return }
    for line in missed.endings { connection.send(line) }
    for topic in Topic.allCases {
      if let json = missed.states[topic] { send(topic, json) }
    }
    missed = ([], [:])
  }

  /// Removes the one-time request, the updates (repeated fixes) or the request for an authorization with this
  /// identifier.
  /// - Returns: The tag of the command (an optional word to recognize the reply); nil if there is no such request, or
  ///   no tag.
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

/// A one-time request that was accepted and has not ended.
struct PendingRequest {
  let id: RequestID
  let tag: String?
  let options: OnceRequest
  let received: MonotonicInstant
}

/// A request of an app for an authorization, which waits for the answer of a person.
struct AskedQuestion {
  let id: RequestID
  let tag: String?
  let purpose: String?
}

/// A command of an app that has no reply yet.
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
