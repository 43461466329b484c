package import Base
package import Decoding
package import Hardware
package import LineProtocol
package import StateStore

/// The state of the gateway at one instant, for a screen that an owner (administrator) sees. The state contains no
/// position.
package struct Snapshot: Sendable {
  /// An app whose request waits for a press of the button.
  package struct Waiting: Hashable, Sendable {
    package var app: AppID
    package var since: UTCTime
    package var purpose: String?
    /// Whether the next press of a button will give this request its fix.
    package var isNext: Bool
  }

  package struct Question: Sendable {
    package var text: String
    /// The texts about the effect of a press of the button and about the effect of a hold (long press).
    package var ways: [String]
    /// The time that is left for an answer.
    package var left: Duration
  }

  /// The fields of the reply to the command `STATUS` of an owner (administrator).
  package var status: ServerLine.Fields
  package var language: Language
  package var receiver: ReceiverCondition
  package var indication: Indication
  package var isLit: Bool
  package var colour: Colour
  package var isLocked: Bool
  /// The time for which a button is already pressed, and its hold time; nil if no button is pressed.
  package var press: (time: Duration, hold: Duration)?
  /// The open prompt (question to the person at the button); nil if there is none.
  package var question: Question?
  package var waiting: [Waiting]
  /// The names of the connected apps that may not ask a person again yet. No person has answered the last prompt (the
  /// question to the user) about such an app.
  package var paused: [String]
  /// The newest entries of the disclosure log (the log of fixes sent to apps), oldest first.
  package var log: [LogEntry]
}
