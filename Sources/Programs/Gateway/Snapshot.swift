package import Authorization
package import Base
package import Hardware
package import ReceiverStream
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

  package var gateway: String
  package var board: String
  package var receiverName: String
  package var receiver: ReceiverCondition
  package var indication: Indication
  package var isLit: Bool
  package var colour: Colour
  package var isLocked: Bool
  package var isButtonDown: Bool
  /// The text of the open prompt, and two texts: the effects of a press and of a hold. Nil if no prompt is open.
  package var question: (text: String, ways: [String])?
  package var waiting: [Waiting]
  /// The latest entries of the log, oldest first.
  package var log: [LogEntry]
}
