import Clocks
import LineFraming
import LineProtocol
import NIOCore
import Ports

/// A line on its way to a client, and what becomes of it while there is no room for it.
struct OutgoingLine: Sendable {
  enum Rule: Hashable, Sendable {
    /// It waits: a reply, of which there are no more than commands were read.
    case reply
    /// It waits, among so many and no more.
    case event
    /// Only the newest waits: what a facade says again and again.
    case beat
    /// Only the newest of its topic and subscription waits.
    case state(Topic, sid: String)
    /// The oldest give way to newer ones, and the next that is delivered says how many did.
    case updates(sid: String)
    /// It waits, but only while the light tells of it. Of one message, as its number to acknowledge says, one waits.
    case once(message: Int?, until: MonotonicInstant)
  }

  /// With its line end.
  let bytes: ByteBuffer
  let rule: Rule

  init(_ bytes: ByteBuffer, _ rule: Rule) {
    self.bytes = bytes
    self.rule = rule
  }

  /// A line that carries no position.
  init(_ line: ServerLine) {
    self.init(line.bytes, Rule(line))
  }

  /// Which kind of fix it is; empty where it is none.
  var fixes: FixKinds {
    switch rule {
    case .updates: .updates
    case .once: .once
    case .reply, .event, .beat, .state: []
    }
  }
}

extension OutgoingLine.Rule {
  fileprivate init(_ line: ServerLine) {
    guard case .message(let message) = line else {
      self = .reply
      return
    }
    switch Topic(rawValue: message.topic) {
    case .indicator?: self = .state(.indicator, sid: message.sid)
    case .authorization?: self = .state(.authorization, sid: message.sid)
    case .receiver?: self = .state(.receiver, sid: message.sid)
    // What is listed for a command comes without a subscription.
    case .buttonPress?, .regions?, .ownerPrompt?, .ownerNotification?, .ownerApps?, .ownerLog?, .ownerRegions?,
      .ownerSessions?, .ownerSky?, .ownerMetrics?, nil:
      self = message.sid == "-" ? .reply : .event
    case .fixOnce?, .fixUpdates?: preconditionFailure("a fix is sent as what it is")
    }
  }
}
