package import LineProtocol
package import Base
package import Decoding
package import Hardware
package import StateStore

/// The state of the gateway at one instant, for a screen that an owner sees. The state contains no position.
package struct Snapshot: Sendable {
  /// An app whose request waits for a press of the button.
  package struct Waiting: Hashable, Sendable {
    package var app: AppID
    package var since: UTCTime
    package var purpose: String?
    /// Whether the next press of a button is for this request.
    package var isNext: Bool
  }

  package struct Question: Sendable {
    package var text: String
    /// Two texts: the effect of a press of the button, and the effect of a hold.
    package var ways: [String]
    /// The time that is left for an answer.
    package var left: Duration
  }

  /// The fields of the reply to the command `STATUS` of an owner.
  package var status: ServerLine.Fields
  /// The language of the texts at the gateway.
  package var language: Language
  package var receiver: ReceiverCondition
  package var indication: Indication
  package var isLit: Bool
  package var colour: Colour
  package var isLocked: Bool
  /// How long a button is already down, and its hold time; nil if no button is down.
  package var press: (time: Duration, hold: Duration)?
  /// The open prompt (question to the person at the button); nil if there is none.
  package var question: Question?
  package var waiting: [Waiting]
  /// The names of the connected apps that may not ask a person again yet, because their last prompt (the question to
  /// the user) had no answer.
  package var paused: [String]
  /// The newest entries of the disclosure log, oldest first.
  package var log: [LogEntry]
}
