import Authorization
import Base
import ControlledBoard
@testable import Gateway
import LineProtocol
import Requirements
import StoreScenario
import Testing

/// The path of the device, in metres from home: far away and home again, across every border that the attacker has
/// registered.
private let track = [9000.0, 4000, 1500, 700, 350, 150, 20, 150, 350, 700, 1500, 4000, 9000]

/// An app without the right to know the position. The app knows the path, and tries to learn the position on it.
private struct Spy {
  let app: String
  let bench: Bench
  /// Whether the app has "always" or sees "always", so that it may start updates while it is not in use.
  let seesAlways: Bool
  /// A connection that stays open and subscribes to everything.
  let listener: Talker
  /// Everything that the other connections received.
  private(set) var told: [String] = []

  init(_ app: String, _ bench: Bench, seesAlways: Bool = false) async throws {
    (self.app, self.bench, self.seesAlways) = (app, bench, seesAlways)
    listener = try await bench.app(app)
    try await listener.reply(to: "SUB # all")
  }

  /// Registers borders around home at all distances.
  func prepare() async throws {
    for (number, radius) in [100, 150, 200, 300, 500, 800, 1200, 2000, 3000, 5000].enumerated() {
      try await listener.register("r\(number)", radius: radius)
    }
  }

  /// Runs every command with a reply, on a new connection because a connection accepts 50 lines at once.
  /// - Parameter turn: Selects the commands that change state.
  mutating func probe(_ turn: Int) async throws {
    let talker = try await bench.app(app)
    for line in [
      "SUB # all", "STATUS", "PING", "HELP", "REGION LIST", "SUB region/# r", "SUB indicator i", "SUB authorization a",
      "UNSUB i", "AUTHORIZE always purpose=To bisect", "AUTHORIZE when-in-use", "STATE background", "STATUS",
      "STATE foreground", "REQ once press=required", "STATUS", "CANCEL", "ACK 1", "REGION ADD home\(turn) nonsense",
      "REGION DEL nothing", "REGIONS", "STATUS", "START updates", "STATUS", "STOP updates", "STATUS",
    ] { try await send(line, on: talker) }
    // A bisection: one border after the other is registered again, as often as allowed, with the same value the second
    // time.
    for _ in 0..<2 { try await talker.register("r\(turn % 10)", radius: 110 + 100 * turn) }
    if turn.isMultiple(of: 4) { try await send("REGION DEL r\(turn % 10)", on: talker) }
    if seesAlways { for line in ["REQ once", "STATUS", "CANCEL", "STATUS"] { try await send(line, on: talker) } }
    try await talker.reply(to: "BYE")
    told += await talker.view
  }

  /// Sends a line and waits until both connections have received the resulting indication. A state that was not sent
  /// yet is replaced by the next one, so the number of messages depends on timing.
  private func send(_ line: String, on talker: Talker) async throws {
    try await talker.reply(to: line)
    for one in [talker, listener] {
      while true {
        let light = await bench.gateway.indication(of: AppID(app)!)
        let received = await one.received("MSG indicator")
        guard let last = received.last, !last.contains("\"\(light)\"") else { break }
        try await one.until { $0.count { $0.hasPrefix("MSG indicator") } > received.count }
      }
    }
  }

  /// Everything that the app received, in order on each connection.
  var view: [String] { get async { await listener.view + told } }
}

extension Talker {
  /// The received bytes without random values and times.
  var view: [String] {
    received.map {
      $0.replacing(/(session|nonce)=\w+/, with: { "\($0.1)=…" }).replacing(/retry-after=\d+/, with: "retry-after=…")
    }
  }
}

/// The observations of a run by the attacker, by another app, and by the owner.
private struct Run {
  var spy: [String]
  var other: [String]
  var events: Int
  var prompts: Int
}

/// The record of an app whose request for "always" the user has denied, and that still sees `always`.
private var refused: AppRecord {
  var refused = record(.whenInUse)
  refused.hasAskedUpgrade = true
  refused.seesAlwaysUntil = MonotonicInstant(nanoseconds: .max / 2)
  return refused
}

/// - Parameter moves: Whether the device follows the path. Otherwise it stays at the start for the same number of
///   fixes.
private func run(_ attacker: AppRecord, moves: Bool) async throws -> Run {
  var result: Run?
  try await Bench([attacker, record(.whenInUse, of: "other")]).run { bench in
    let seesAlways = attacker.isProvisional || attacker.seesAlwaysUntil != nil
    var spy = try await Spy("parks", bench, seesAlways: seesAlways)
    var other = try await Spy("other", bench)
    let owner = try await bench.owner()
    try await spy.prepare()
    for (turn, position) in track.enumerated() {
      await bench.stand(north: moves ? position : track[0])
      try await spy.probe(turn)
      try await other.probe(turn)
      // An open prompt is answered with no.
      if let prompt = await bench.gateway.firstPrompt { try await owner.reply(to: "ANSWER \(prompt.id) no") }
    }
    for talker in [spy.listener, other.listener] { try await talker.reply(to: "PING") }
    try await owner.reply(to: "PING")
    result = Run(
      spy: await spy.view, other: await other.view, events: await owner.received("MSG owner/notification").count,
      prompts: await owner.received("MSG owner/prompt").count { $0.contains(#""state":"open""#) })
  }
  return try #require(result)
}

@Test(
  .patient,
  arguments: [
    record(.whenInUse), record(.always, accuracy: .reduced), record(.whenInUse, provisional: true), refused,
  ])
func `an app that registers borders across a known path learns nothing from all its messages`(
  record: AppRecord
) async throws {
  let (moved, stayed) = (try await run(record, moves: true), try await run(record, moves: false))
  #expect(moved.events > 10 && stayed.events == 0, "borders were crossed, and owners saw it")
  if record.isProvisional { #expect(moved.prompts >= 1) }
  #expect(moved.spy.count > 400)
  #expect(moved.spy == stayed.spy)
  #expect(moved.other == stayed.other)
}

@Test(.patient)
func `the same app with always learns of each border, so the attack would detect a leak`() async throws {
  for moves in [true, false] {
    try await Bench([record(.always)]).run { bench in
      let spy = try await Spy("parks", bench)
      try await spy.prepare()
      for position in track { await bench.stand(north: moves ? position : track[0]) }
      try await spy.listener.reply(to: "PING")
      #expect(await spy.listener.received("MSG region/").count == (moves ? 20 : 0))
    }
  }
}
