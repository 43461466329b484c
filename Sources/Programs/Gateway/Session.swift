import Authorization
import Clocks
import Encoding
import LineProtocol
import Ports
import OperatingSystem

/// An app's session: what outlives its connection for the grace period.
final class Session {
  /// How many sessions one app may have.
  static let most = 1024

  let id: SessionID
  let app: AppID
  let peer: Peer
  let transport: Transport
  let opened = SystemClock.monotonic
  /// By what its client proved last to be the app.
  var proof = Identity.Proof.transport
  /// 128 random bits, replaced at each resume, never logged.
  var token = randomDigits()
  /// Nil while the client is away; set by `Sessions` alone.
  var connection: (any ClientConnection)?
  var subscriptions = Subscriptions()
  var lastMessageID = 0
  /// The request that is armed or in flight.
  var request: PendingRequest?
  /// The updates that it has, or believes to have.
  var updates: RunningUpdates?
  /// What the app last asked the person.
  var question: AskedQuestion?
  /// What the app was last told of the indicator: it is told only of changes.
  var toldIndication: String
  /// How requests ended while its client was away: no more than it had, since none begins meanwhile.
  private var untoldEndings: [ServerLine] = []
  /// The newest of each state while its client was away.
  private var untoldStates: [Topic: String] = [:]

  init(id: SessionID, app: AppID, connection: any ClientConnection, toldIndication: String) {
    self.id = id
    self.app = app
    self.connection = connection
    peer = connection.peer
    transport = connection.transport
    self.toldIndication = toldIndication
  }

  func tell(_ topic: Topic, _ json: String) {
    if let connection {
      subscriptions.tell(topic, json, on: connection)
    } else if topic.isState, subscriptions.contains(topic) {
      untoldStates[topic] = json
    }
  }

  /// Tells how a request ended, now or when its client is back.
  func tell(ending line: ServerLine) {
    if let connection { connection.send(line) } else { untoldEndings.append(line) }
  }

  /// Its client is back, and is told what it has missed.
  func tellUntold() {
    guard let connection else { return }
    for line in untoldEndings { connection.send(line) }
    for topic in Topic.allCases {
      if let json = untoldStates[topic] { subscriptions.tell(topic, json, on: connection) }
    }
    untoldEndings = []
    untoldStates = [:]
  }
}

/// A request from its acceptance to its end.
struct PendingRequest {
  let id: RequestID
  let tag: String?
  let options: OnceRequest
  let received: MonotonicInstant
}

/// What an app asked the person, and what it said of itself when it did.
struct AskedQuestion {
  let id: RequestID
  let tag: String?
  let purpose: String?
}

/// Updates from their acceptance to their end.
final class RunningUpdates {
  let id: RequestID
  let tag: String?
  let options: UpdatesRequest
  /// The log's entry of the interval that is open.
  var entry: Int64?
  /// How many fixes were given in it.
  var given = 0
  /// When the fix arrived that was sent last.
  var last: MonotonicInstant?
  /// When approximate fixes are sent.
  var quarterHours: QuarterHours
  /// Where the last fix was, as it was sent.
  var lastPlace: SealedPlace?

  init(id: RequestID, tag: String?, options: UpdatesRequest) {
    self.id = id
    self.tag = tag
    self.options = options
    quarterHours = QuarterHours(interval: options.interval)
  }
}

/// An owner's connection.
struct OwnerSession {
  let connection: any ClientConnection
  var subscriptions = Subscriptions()
}
