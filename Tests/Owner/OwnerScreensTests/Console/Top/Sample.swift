import Base
import Foundation
import LineProtocol
import Testing

@testable import OwnerScreens

extension Frame {
  /// The rows of the screen as text, without trailing spaces.
  var lines: [String] {
    (0..<size.rows).map { row in
      var line = (0..<size.columns).map { cell(row, $0).text }.joined()
      while line.last == " " { line.removeLast() }
      return line
    }
  }
}

/// Sample gateways for the tests.
enum Sample {
  static let now = MonotonicInstant(nanoseconds: 5_000_000_000_000)
  static let unicode = TerminalKind(isASCII: false, hasAttributes: true, hasColours: true)
  static let plain = TerminalKind(isASCII: true, hasAttributes: false, hasColours: false)

  static func reading(_ seconds: Double = 0) throws -> ClockReading {
    let start = try #require(UTCTime(iso8601: "2026-11-21T07:31:34.000Z"))
    let later = Duration.seconds(seconds)
    return ClockReading(monotonic: now + later, utc: ClockReading(monotonic: now, utc: start).utc(at: now + later))
  }

  /// A boat with all kinds of data.
  static var boat: Overview {
    var overview = Overview()
    overview.gateway = "boat-7"
    overview.board = "raspberry-pi-4"
    (overview.indicator, overview.isLit) = ("location in use", true)
    overview.receiver = "ready, 3D"
    (overview.satellitesUsed, overview.hdop, overview.horizontalAccuracy) = (8, "0.8", "2.9")
    overview.satellites = sky()
    overview.waiting = "ferry, parks"
    overview.lastPress = "too early, press again"
    overview.faults = ["receiver-shared"]
    overview.apps = [
      app("ferry", "While using", now: "in use, gets fixes"), app("logbook", "Always", isReduced: true),
      app("公園-map", "When I share", now: "waits for a press"), app("weather", "Never"),
    ]
    overview.sessions = [
      session(4, "ferry", now: "in use"), session(9, "logbook", now: "away"), session(12, "公園-map"),
    ]
    overview.sessionCount = 3
    overview.entries = (1...6).reversed().map { number in
      LogView.Row(
        time: "2026-11-21 07:3\(number):34", entry: "#\(number)", app: number % 2 == 0 ? "" : "ferry",
        what: number % 2 == 0 ? "#\(number - 1) arrived" : "one fix by a press, precise")
    }
    return overview
  }

  static var asking: Overview {
    var overview = boat
    overview.indicator = "asks"
    overview.questionLeft = "8 s left"
    overview.question = PromptView(
      prompt: 3, app: "ferry", question: "Share this location with Fähre 公園?",
      says: "Fähre 公園 says: “To warn of shallows, in time”",
      choices: [
        .init(choice: .once, text: "Allow once"), .init(choice: .whileUsing, text: "While using"),
        .init(choice: .no, text: "Don’t allow"),
      ], isAboutAccuracy: true)
    return overview
  }

  static func app(_ id: String, _ status: String, isReduced: Bool = false, now: String = "") -> AppView {
    AppView(
      app: id, title: id, shown: "", status: status, accuracy: isReduced ? "reduced" : "full",
      precision: isReduced ? "approximate" : "precise", now: now)
  }

  static func session(_ number: Int, _ app: String, now: String = "") -> Overview.Session {
    Overview.Session(
      number: number, app: app, transport: "unix", peer: "uid 1000", since: "2026-11-21 07:30:00", now: now)
  }

  /// Twelve satellites at a time in seconds: their positions change slowly and their signals vary.
  static func sky(_ seconds: Int = 0) -> [Overview.Satellite] {
    (0..<12).map { index in
      let isUsed = index % 3 != 2
      let tremble = [0, 1, 0, -1, 0, 0, 1, -1][(seconds * 5 + index * 3) % 8]
      return Overview.Satellite(
        system: Array("GREC")[index % 4], number: index * 7 + 2, elevation: 5 + index * 7,
        azimuth: (index * 47 + seconds / 60) % 360, strength: isUsed ? 30 + index + tremble : index == 2 ? nil : 17,
        isUsed: isUsed)
    }
  }

  /// A session that has received the state of a gateway.
  static func session(
    _ overview: Overview?, _ rows: Int = 24, _ columns: Int = 80, _ kind: TerminalKind = unicode,
    language: Language = .english
  ) -> TopSession {
    var session = TopSession(language: language, kind: kind)
    _ = session.handle(.resized(ScreenSize(rows: rows, columns: columns)), at: now)
    if let overview { _ = session.handle(.updated(overview), at: now) }
    return session
  }
}

extension TopSession {
  /// Draws a frame and marks it as displayed.
  mutating func look(_ seconds: Double = 0) throws -> Frame {
    let reading = try Sample.reading(seconds)
    let frame = frame(at: reading)
    _ = handle(.drawn, at: reading.monotonic)
    return frame
  }
}
