import Authorization
import Clocks
import Disclosure
import Hardware
import LineProtocol
import Logging
import Ports
import StateStore
import Telemetry

/// An input of the gateway, or an output of one of the gateway's parts. The router performs actions one after the
/// other. If an action results in further actions, the router performs the further actions first, and then the actions
/// that were already waiting.
enum Action {
  // MARK: Effects outside

  case log(LogMessage)
  case send(ServerLine, to: any ClientConnection)
  /// Sends an error to a connection, and closes the connection.
  case refuse(any ClientConnection, LineError, tag: String?)
  /// Removes the fixes that still wait in the queue of a connection. No further byte of these fixes is sent.
  case recall(any ClientConnection, FixKinds)
  case sendToReceiver([UInt8])
  /// A part of the board became ready. Either the gateway read the first level of a button, or the receiver's port was
  /// opened.
  case becameReady
  case count(Metrics.Event)

  // MARK: Buttons

  case buttonDown(String, MonotonicInstant)
  /// The button was released, or the press became a hold.
  case buttonUp(String)
  case press(Press)
  case hold(Hold)
  /// An outcome of the current press or hold of the button. A later outcome replaces an earlier one.
  case outcome(PressOutcome)
  case endPress(Press)
  case endHold(Hold)

  // MARK: Authorization

  case event(Event)
  case effect(Effect, by: DecisionSource?)
  /// Writes the ends of several streams of updates to the log, in one transaction.
  case closeIntervals([(request: RequestID, end: IntervalEnd)])
  /// Saves the deferred records of these apps. If a deferred record was already saved together with a log entry, the
  /// record is not saved again.
  case saveDeferred([AppID])

  // MARK: Sessions

  /// The gateway has accepted a stream of updates for a session.
  case accepted(RequestID, SessionID, UpdatesRequest)
  case sessionEnded(SessionID, AppID)
  /// Ends a request, or a stream of updates, with an error.
  case endRequest(RequestID, LineError)
  /// An app's request ended without a fix. The text is the answer that the app received.
  case refused(String, AppID)
  case notifyOwners(Topic, String)

  // MARK: Disclosures

  case serve(Grant)
  case update(RequestID)
  case beginUpdateRound(ofAll: Bool)
  /// Tries to send each fix that is waiting for its disclosure.
  case servePending
  case servePendingOf(SessionID)
  case redeliver(Delivery)
  case publish(PublicationDisclosure)
  case reportCrossings
  case reportCrossing(PendingCrossing)
  /// Records the outcomes of disclosures in the log.
  case close([LogEntry.Event])
  /// Records the outcome of a fix that was in the broker outbox.
  case settle(OutboxEntry, DisclosureOutcome)

  // MARK: Regions and the receiver

  case checkRegions(AppID, mayHave: Bool)
  case saveRegions(SealedRegions, RegionWatcher.Change?)
  /// Processes the next complete epoch of the receiver.
  case advanceReceiver
  /// Compares the latest fix with the regions.
  case watchRegions
  case receiverChanged
  /// The power supply of the receiver was switched off.
  case switchedOff
}

/// A message for the daemon's log.
struct LogMessage: Hashable {
  let subsystem: Subsystem
  let level: Logger.Level
  let text: String
  let metadata: [String: String]
  /// The position in the source code that created the message. The journal shows this position.
  let file: String
  let function: String
  let line: UInt

  init(
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

  /// Creates the source of a decision. Returns nil if no person caused the event.
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
