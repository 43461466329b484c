import Authorization
import Clocks
import Disclosure
import Hardware
import LineProtocol
package import Logging
import Ports
import StateStore
package import Telemetry

/// An input of the gateway, or an output of one of its parts. The router performs actions one after the other. If an
/// action results in new actions, the router performs the new actions before the other waiting actions.
enum Action {
  // MARK: Effects outside

  case log(LogMessage)
  case send(ServerLine, to: any ClientConnection)
  case refuse(any ClientConnection, LineError, tag: String?)
  /// Removes the fixes from the send queue of a connection. No further byte of these fixes is sent.
  case recall(any ClientConnection, FixKinds)
  case sendToReceiver([UInt8])
  /// A part of the board became ready: the first level of a button is known, or the receiver's port is open.
  case becameReady
  case count(Metrics.Event)

  // MARK: Buttons

  /// A deadline of the button has passed, and takes effect when the input has confirmed that no earlier edge follows.
  case confirmEdges(String)
  case buttonDown(String, MonotonicInstant)
  /// The button was released, or the press became a hold.
  case buttonUp(String)
  case press(Press)
  case hold(Hold)
  /// An outcome of the current press or hold. A later outcome replaces an earlier one.
  case outcome(PressOutcome)
  case endPress(Press)
  case endHold(Hold)

  // MARK: Authorization

  case event(Event)
  /// An owner's answer to the prompt with this number. The language is nil for the language of the gateway.
  case answer(prompt: Int, Answer, AnswerWay, language: String?)
  case effect(Effect, by: DecisionSource?)
  /// Writes the ends of several streams of updates to the log, in one transaction.
  case closeIntervals([(request: RequestID, end: IntervalEnd)])
  /// Saves changed records in one transaction.
  case saveRecords([AppRecord])
  /// Saves the deferred records of these apps, unless a log entry has already saved them.
  case saveDeferred([AppID])

  // MARK: Sessions

  case accepted(RequestID, SessionID, UpdatesRequest)
  case sessionEnded(SessionID, AppID)
  case endRequest(RequestID, LineError)
  /// An app's request ended without a fix. The text is the answer to the app.
  case refused(String, AppID)
  case notifyOwners(Topic, String)

  // MARK: Disclosures

  case serve(Grant)
  case update(RequestID)
  case updateAll
  case servePending
  case servePendingOf(SessionID)
  case redeliver(Delivery)
  case publish(PublicationDisclosure)
  case reportCrossings
  case reportCrossing(PendingCrossing)
  case close([LogEntry.Event])
  /// Records the outcome of a fix from the broker outbox.
  case settle(OutboxEntry, DisclosureOutcome)

  // MARK: Regions and the receiver

  case checkRegions(AppID, mayHave: Bool)
  case saveRegions(SealedRegions, RegionWatcher.Change?)
  case advanceReceiver
  case watchRegions
  case receiverChanged
  case switchedOff
}

/// A message for the daemon's log.
package struct LogMessage: Hashable {
  let subsystem: Subsystem
  let level: Logger.Level
  let text: String
  let metadata: [String: String]
  let file: String
  let function: String
  let line: UInt

  package init(
    _ subsystem: Subsystem, _ level: Logger.Level, _ text: String, _ metadata: [String: String] = [:],
    file: String = #fileID, function: String = #function, line: UInt = #line
  ) {
    self.subsystem = subsystem
    self.level = level
    self.text = text
    self.metadata = metadata
    self.file = file
    self.function = function
    self.line = line
  }
}

/// The result of a press or a hold.
package enum PressOutcome: String, CaseIterable, Sendable {
  case nothing
  case served
  case granted
  case prompt
  case answered
  case locked
  case unlocked
}

/// The way in which a person made a decision: at the button, or as an owner.
enum DecisionSource: String, Hashable, Sendable {
  case button
  case owner

  /// Creates the source of a decision from the event that caused the decision. Returns nil if no person caused the
  /// event.
  init?(_ event: Event) {
    switch event {
    case .pressed, .held: self = .button
    case .answered, .ordered, .lockOrdered: self = .owner
    case .sessionOpened, .sessionLost, .sessionResumed, .sessionEnded, .stateChanged, .requested, .cancelled, .started,
      .stopped, .asked, .regionCrossed, .edge, .served, .failed, .legibilityChecked, .surfacesChanged, .timePassed:
      return nil
    }
  }
}
