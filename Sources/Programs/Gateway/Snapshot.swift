package import Authorization
package import Clocks
package import Hardware
package import ReceiverStream
package import StateStore

/// The gateway at one moment, as its owner may see it. No position.
package struct Snapshot: Sendable {
  /// An app that waits for a press.
  package struct Waiting: Hashable, Sendable {
    package var app: AppID
    package var since: UTCTime
    /// What it says that the fix is for.
    package var purpose: String?
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
  /// What the person is asked, and below it what a press and a hold do; nil while nothing is asked.
  package var question: (text: String, ways: [String])?
  package var waiting: [Waiting]
  /// The latest entries of the log, oldest first.
  package var log: [LogEntry]
}
