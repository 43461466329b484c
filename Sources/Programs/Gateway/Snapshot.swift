package import Authorization
package import Base
package import Hardware
package import LineProtocol
package import Decoding
package import StateStore

/// The state of the gateway at one moment, for a display of owners. The state contains no position.
package struct Snapshot: Sendable {
  /// An app that waits for a press.
  package struct Waiting: Hashable, Sendable {
    package var app: AppID
    package var since: UTCTime
    package var purpose: String?
    /// Whether the next press of a button serves this request.
    package var isNext: Bool
  }

  package struct Question: Sendable {
    package var text: String
    /// Two texts: the effects of a press and of a hold.
    package var ways: [String]
    /// The time in which a user can still answer.
    package var left: Duration
  }

  /// The reply to `STATUS` of an owner.
  package var status: ServerLine.Fields
  /// The language of the gateway.
  package var language: Language
  package var receiver: ReceiverCondition
  package var indication: Indication
  package var isLit: Bool
  package var colour: Colour
  package var isLocked: Bool
  /// The time for which a button is down, and its hold time. Nil if no button is down.
  package var press: (time: Duration, hold: Duration)?
  /// The open prompt; nil if no prompt is open.
  package var question: Question?
  package var waiting: [Waiting]
  /// The names of the connected apps that must wait before they may ask again.
  package var paused: [String]
  /// The latest entries of the log, oldest first.
  package var log: [LogEntry]
}
