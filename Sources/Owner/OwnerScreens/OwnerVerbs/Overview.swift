/// The state of a gateway at one instant, as texts in one language for a screen. The state contains no position.
package struct Overview: Hashable, Sendable {
  package struct Session: Hashable, Sendable {
    package var number: Int
    package var app: String
    package var transport: String
    package var peer: String
    /// The start of the session in UTC, as in `2026-11-21 07:31:34`; empty if unknown.
    package var since: String
    package var now: String
  }

  package struct Satellite: Hashable, Sendable {
    /// The RINEX letter of the constellation: G, R, E, C, J, I or S; X if unknown (RINEX 4.01 table 9).
    package var system: Character
    package var number: Int
    /// The elevation above the horizon in degrees; nil if unknown.
    package var elevation: Int?
    package var azimuth: Int?
    /// The strength of the signal (carrier-to-noise density) in dB-Hz; nil if unknown.
    package var strength: Int?
    package var isUsed: Bool
  }

  package var gateway = ""
  package var board = ""
  package var indicator = ""
  package var isLit = false
  package var isLocked = false
  package var receiver = ""
  package var satellitesUsed: Int?
  package var hdop: String?
  /// The radius of the circle that contains the true position with a probability of 68 %, in metres with one decimal;
  /// nil if unknown.
  package var horizontalAccuracy: String?
  package var satellites: [Satellite] = []
  /// The names of the apps that wait for a press of the button, as one text; nil if no app waits.
  package var waiting: String?
  /// The effect of the latest press or hold (long press) of the button, as text; nil before the first press.
  package var lastPress: String?
  /// The faults of the gateway that a person must repair, one text for each fault.
  package var faults: [String] = []
  package var question: PromptView?
  /// The remaining time for an answer to the question, as text; nil if unknown.
  package var questionLeft: String?
  package var apps: [AppView] = []
  package var sessions: [Session] = []
  /// The count of all sessions of the gateway. `sessions` has at most `OwnerCommand.mostEntries` of them.
  package var sessionCount = 0
  package var entries: [LogView.Row] = []

  package init() {}
}
