/// A gateway at one moment, as its owner sees it, in words of one language. No position.
package struct Overview: Hashable, Sendable {
  package struct Session: Hashable, Sendable {
    package var number: Int
    package var app: String
    package var transport: String
    package var peer: String
    /// UTC, as in `2026-11-21 07:31:34`.
    package var since: String
    package var now: String
  }

  package struct Satellite: Hashable, Sendable {
    /// As RINEX writes systems: G, R, E, C, J, I, S; X where it is not known. (RINEX 4.01 table 9)
    package var system: Character
    package var number: Int
    /// Degrees.
    package var elevation: Int?
    package var azimuth: Int?
    /// dB-Hz.
    package var strength: Int?
    package var isUsed: Bool
  }

  package var gateway = ""
  package var board = ""
  package var light = ""
  package var isLit = false
  package var isLocked = false
  package var receiver = ""
  package var satellitesUsed: Int?
  /// As they are written: `0.8`.
  package var hdop: String?
  /// Radius of the circle that holds 68 %, metres.
  package var horizontalAccuracy: String?
  package var satellites: [Satellite] = []
  /// Apps that wait for a press.
  package var waiting: String?
  /// What is to be mended.
  package var faults: [String] = []
  /// The one that is open.
  package var question: PromptView?
  package var apps: [AppView] = []
  package var sessions: [Session] = []
  /// How many there are: more than are listed where they are very many.
  package var sessionCount = 0
  /// Of the log of disclosures: the newest first.
  package var entries: [LogView.Row] = []

  package init() {}
}
