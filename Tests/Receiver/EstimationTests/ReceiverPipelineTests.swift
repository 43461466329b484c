import Base
@testable import Estimation
import Decoding
import Foundation
import GNSS
import Hardware
import Sentences
import Testing

private func at(_ milliseconds: Int) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
}

extension ReceiverPipeline {
  /// A pipeline whose receiver was opened.
  fileprivate func opened() -> ReceiverPipeline {
    var pipeline = self
    pipeline.open()
    return pipeline
  }

  /// Advances through all complete epochs, and returns their number.
  @discardableResult fileprivate mutating func serve(today: UTCDate? = nil) -> Int {
    var count = 0
    while advance(today: today) { count += 1 }
    return count
  }

  @discardableResult fileprivate mutating func serve(_ epoch: Epoch, today: UTCDate? = nil) -> Int {
    consume(epoch)
    return serve(today: today)
  }

  /// Serves the bytes that arrive at a time in milliseconds, after a silence of 900 ms.
  @discardableResult fileprivate mutating func serve(_ bytes: [UInt8], at time: Int) -> Int {
    consume(bytes, at: at(time))
    _ = pass(to: at(time + 900))
    return serve()
  }
}

private let sentence = Array("$GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,*7F\r\n".utf8)

@Test func `a receiver that falls silent is not ready any more, and its fix is gone`() throws {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  #expect(pipeline.condition.state == .starting)
  pipeline.consume(sentence, at: at(0))
  var now = at(0)
  while let deadline = pipeline.nextDeadline, pipeline.latest == nil {
    now = deadline
    _ = pipeline.pass(to: now)
    pipeline.serve()
  }
  #expect(pipeline.condition.state == .ready)
  #expect(pipeline.latest != nil)
  let silent = try #require(pipeline.nextDeadline)
  #expect(silent == at(6000))
  _ = pipeline.pass(to: silent - .milliseconds(1))
  #expect(pipeline.condition.state == .ready)
  _ = pipeline.pass(to: silent)
  #expect(pipeline.condition.state == .starting)
  #expect(pipeline.latest == nil)
  #expect(pipeline.nextDeadline == nil)
}

@Test(arguments: [true, false])
func `a sentence without a checksum is served only if that is allowed`(requiresChecksum: Bool) {
  var pipeline = ReceiverPipeline(isLive: true, requiresChecksum: requiresChecksum).opened()
  let bare = String(decoding: sentence, as: UTF8.self).replacing("*7F", with: "")
  #expect(pipeline.serve(Array(bare.utf8), at: 0) == (requiresChecksum ? 0 : 1))
  #expect((pipeline.latest == nil) == requiresChecksum)
}

@Test(arguments: [
  // The clock is right: the log is old. The decoder added one, two or three periods of 1024 weeks.
  ("110723", "2026-11-21", "2023-07-11"), ("150600", "2026-11-21", "2000-06-15"),
  ("020786", "2026-11-21", "1986-07-02"),
  ("110723", "2043-03-01", "2043-02-24"),  // The receiver's week has rolled over since.
  ("110723", "1970-01-01", "2043-02-24"),  // The clock tells nothing.
])
func `a date before the floor is a week rollover only if this machine's clock allows it`(
  received: String, today: String, date: String
) throws {
  func day(_ text: String) throws -> UTCDate { try #require(UTCTime(iso8601: "\(text)T00:00:00Z")).date }
  var pipeline = ReceiverPipeline(isLive: true).opened()
  let old = nmeaSentence("GNRMC,060412.00,A,3509.9236360,N,13652.8865444,E,0.087,73.28,\(received),,,A,V")
  pipeline.consume(Array(old.utf8), at: at(0))
  while let deadline = pipeline.nextDeadline, pipeline.latest == nil {
    _ = pipeline.pass(to: deadline)
    pipeline.serve(today: try day(today))
  }
  #expect(try #require(pipeline.latest).fix.time?.date == day(date))
  let isMoved = date == "2043-02-24"
  #expect(pipeline.condition.isDateCorrected == isMoved)
  let notices = pipeline.drainNotices()
  #expect(notices.map(\.severity) == [.warning])
  #expect(notices.first?.details[isMoved ? "corrected" : "received"] == date)
  #expect(pipeline.drainNotices() == [])
}

/// The sentences of one second, and a MON-HW with a verdict about interference.
private func second(_ number: Int, north: String = "4722.6133", jamming: UInt8? = nil) -> [UInt8] {
  let clock = "07\(10 + number / 60)" + (number % 60 < 10 ? "0" : "") + "\(number % 60)"
  var hardware = [UInt8](repeating: 0, count: 60)
  hardware[22] = (jamming ?? 0) << 2
  return (jamming == nil ? [] : UBXFrame.encode(.monHW, hardware))
    + Array(nmeaSentence("GNRMC,\(clock).00,A,\(north),N,00832.5016,E,0.1,73.28,211126,,,A,V").utf8)
    + Array(nmeaSentence("GNGGA,\(clock).00,\(north),N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,").utf8)
}

@Test func `an attack with pauses marks the fixes for a minute after its last sign, and is reported once`() throws {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  var suspicions: [SignalSuspicion?] = []
  var notices: [ReceiverNotice] = []
  for number in 0..<120 {
    pipeline.serve(second(number, jamming: [10, 12, 14, 19].contains(number) ? 2 : 1), at: number * 1000)
    suspicions.append(pipeline.latest?.fix.suspicion)
    #expect(pipeline.condition.signals.words == ((10..<79).contains(number) ? ["interference"] : ["none"]))
    notices += pipeline.drainNotices()
  }
  #expect(suspicions.indices.filter { suspicions[$0] == .jamming } == Array(10..<79))
  #expect(notices.map(\.severity) == [.warning, .notice])
  #expect(notices.first?.details["signs"] == "interference")
}

@Test func `a jump marks the fixes of a minute, and is counted`() throws {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  var suspicions: [SignalSuspicion?] = []
  for number in 0..<120 {
    pipeline.serve(second(number, north: number < 40 ? "4722.6133" : "4732.6133"), at: number * 1000)
    suspicions.append(pipeline.latest?.fix.suspicion)
  }
  #expect(suspicions.indices.filter { suspicions[$0] == .jump } == Array(40..<100))
  #expect(pipeline.totals.jumps == 1)
  #expect(pipeline.drainNotices().count == 2)
}

@Test func `a doubtful date is reported once while the doubt stays, and again for the next receiver`() throws {
  var pipeline = ReceiverPipeline(isLive: true)
  var doubts: [ReceiverNotice] = []
  func say(_ day: String, _ second: Int) {
    let line = Array(nmeaSentence("GNRMC,06041\(second).00,A,3509.9236,N,13652.8865,E,0.087,73.28,\(day),,,A,V").utf8)
    pipeline.serve(line, at: second * 1000)
    doubts += pipeline.drainNotices()
  }
  pipeline.open()
  for second in 0..<4 { say("110723", second) }
  #expect(doubts.count == 1)
  say("211126", 4)
  #expect(doubts.count == 1 && !pipeline.condition.isDateCorrected)
  for second in 5..<8 { say("110723", second) }
  #expect(doubts.count == 2)
  pipeline.open()
  say("110723", 9)
  #expect(doubts.count == 3)
}

@Test func `the receiver's answers and restarts are kept only if the pipeline is asked to`() throws {
  let stream =
    Array("$GNTXT,01,01,02,u-blox AG - www.u-blox.com*4E\r\n$GNTXT,01,01,02,ANTSTATUS=OK*25\r\n".utf8)
    + Array(
      (nmeaSentence("GPTXT,01,01,02,SW=URANUS5,V5.3.0.0") + nmeaSentence("PAIR001,050,0")
        + nmeaSentence("PGRMC,A,218.8,100,6378137.000,298.257223563,0.0,0.0,0.0,A,3,1,1")
        + nmeaSentence("PQTMEPE,2,1,1,1,1,1") + nmeaSentence("GPXYZ,1")).utf8)
    + UBXFrame.encode(.ack, [0x06, 0x8A]) + UBXFrame.encode(.navDOP, [UInt8](repeating: 0, count: 18))
  for listens in [true, false] {
    for chunk in [stream.count, 7] {
      var pipeline = ReceiverPipeline(isLive: true, keepsAnswers: listens).opened()
      var start = 0
      while start < stream.count {
        let end = min(stream.count, start + chunk)
        pipeline.consume(Array(stream[start..<end]), at: at(start))
        start = end
      }
      let answers: [ReceiverMessage] = [
        .started, .answer(try #require(ReceiverAnswer("TXT,SW=URANUS5,V5.3.0.0"))),
        .answer(try #require(ReceiverAnswer("PAIR001,050,0"))), .answer(try #require(ReceiverAnswer("PGRMC"))),
        .frame(.ack, [0x06, 0x8A]),
      ]
      #expect(pipeline.drainReplies() == (listens ? answers : []))
      #expect(pipeline.drainReplies() == [])
    }
  }
}

@Test func `a fix that is lost is coasted, as old as its last measurement, for 30 s`() throws {
  var pipeline = ReceiverPipeline(isLive: false).opened()
  func take(_ second: Int, hasFix: Bool) {
    var epoch = timed(second)
    if !hasFix { (epoch.quality, epoch.coordinate) = (.invalid, nil) }
    #expect(pipeline.serve(epoch) == 1)
  }
  for second in 0..<20 { take(second, hasFix: true) }
  #expect(pipeline.condition.state == .ready)
  for second in 20...49 {
    take(second, hasFix: false)
    // The receiver reports that it has no fix.
    #expect(pipeline.condition.state == .acquiring)
    #expect(pipeline.condition.mode == nil)
    let latest = try #require(pipeline.latest)
    #expect(latest.fix.arrived == at(19_000))
    // The receiver's clock goes on.
    #expect(latest.began == at(second * 1000))
    #expect(latest.fix.time == UTCTime(iso8601: "2026-11-21T07:31:\(second)Z"))
  }
  take(50, hasFix: false)
  #expect(pipeline.latest == nil)
}

@Test(arguments: [FixQuality.estimated, .manual, .simulator, .invalid], [false, true])
func `a position that the receiver estimated, was given or simulates is served only if the owner allows it`(
  quality: FixQuality, servesUnmeasured: Bool
) {
  let isServed = servesUnmeasured && quality != .invalid
  var pipeline = ReceiverPipeline(isLive: true, servesUnmeasured: servesUnmeasured).opened()
  for second in 0..<10 {
    var epoch = timed(second)
    epoch.quality = quality
    #expect(pipeline.serve(epoch) == 1)
    #expect((pipeline.latest != nil) == isServed)
    #expect(pipeline.condition.state == (isServed ? .ready : .acquiring))
  }
}

// MARK: Time

/// An epoch with a valid fix at 2026-11-21T07:31:00 plus the seconds.
private func timed(_ seconds: Int) -> Epoch {
  var epoch = Epoch(began: at(seconds * 1000), ended: at(seconds * 1000 + 50))
  epoch.date = UTCDate(year: 2026, month: 11, day: 21)
  epoch.timeOfDay = TimeOfDay(hour: 7, minute: 31, second: seconds)
  epoch.coordinate = Coordinate(latitude: 47.376888, longitude: 8.541694)
  epoch.quality = .autonomous
  return epoch
}

@Test(arguments: [(1000, 2026), (2026, 1000), (1, 9999), (9999, 1)])
func `a date centuries after or before the last date does not stop the pipeline`(first: Int, second: Int) {
  var pipeline = ReceiverPipeline(isLive: false).opened()
  for (number, year) in [first, second, second].enumerated() {
    var epoch = timed(number)
    epoch.date = UTCDate(year: year, month: 1, day: 1)
    #expect(pipeline.serve(epoch) == 1)
    #expect(pipeline.latest?.fix.isCoasted == false)
  }
  #expect(pipeline.totals.jumps == 0)
}

@Test func `an epoch with a valid fix has a time for clocks, and a receiver that is lost or off has neither`() {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  pipeline.serve(timed(0))
  #expect(pipeline.time?.utc == UTCTime(iso8601: "2026-11-21T07:31:00Z") && pipeline.time?.began == at(0))
  #expect(pipeline.time?.leapSecond == nil && pipeline.latest != nil)
  pipeline.serve(timed(59))
  #expect(pipeline.time?.utc == UTCTime(iso8601: "2026-11-21T07:31:59Z"))
  var off = pipeline
  pipeline.lose(cause: "unplugged")
  off.switchOff()
  #expect((pipeline.condition.state, off.condition.state) == (.absent, .off))
  #expect(pipeline.latest == nil && pipeline.time == nil)
  #expect(off.latest == nil && off.time == nil)
}

/// Feeds the pipeline with epochs of consecutive seconds, and returns the millisecond at which each one would have been
/// read without a delay.
private func instants(of arrivals: [Int], seconds: [Int]? = nil) -> [Int64] {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  return zip(seconds ?? Array(0..<arrivals.count), arrivals).map { second, arrived in
    var epoch = timed(second)
    (epoch.began, epoch.ended) = (at(arrived), at(arrived + 50))
    pipeline.serve(epoch)
    #expect(pipeline.time?.began == at(arrived))
    return (pipeline.latest?.began.nanoseconds ?? 0) / 1_000_000
  }
}

@Test func `an epoch that was read late is as old as if it had been read in time`() {
  // The bus fails from 2.9 s to 5.4 s.
  #expect(instants(of: [50, 1080, 2060, 5400, 5401, 5402, 6050]) == [50, 1080, 2060, 3052, 4052, 5402, 6050])
  // Usual delays, for example of reads every quarter of a second.
  #expect(instants(of: [50, 1300, 2010, 3250, 4400]) == [50, 1300, 2010, 3250, 4400])
}

@Test func `a receiver that sets its clock back is late for one epoch`() {
  #expect(instants(of: [0, 1000, 2000, 3000, 4000], seconds: [10, 11, 10, 11, 12]) == [0, 1000, 1000, 3000, 4000])
}

@Test func `a receiver that sets its clock back is late for one epoch, although its delays vary`() {
  #expect(
    instants(of: [0, 1000, 2000, 3200, 4000], seconds: [10, 11, 10, 11, 12]) == [0, 1000, 1000, 3200, 4000])
}

@Test func `the clock of a receiver may drift`() {
  let arrivals = (0..<59).map { $0 * 1025 }
  #expect(instants(of: arrivals) == arrivals.map(Int64.init))
}

private let doubts: [(String, @Sendable (inout Epoch) -> Void)] = [
  ("without a position", { $0.coordinate = nil }), ("of an invalid fix", { $0.quality = .invalid }),
  ("of dead reckoning", { $0.quality = .estimated }), ("of a position that was entered", { $0.quality = .manual }),
  ("of a simulator", { $0.quality = .simulator }), ("without a date", { $0.date = nil }),
  ("without a time of day", { $0.timeOfDay = nil }), ("with uncertain seconds", { $0.isTimeUncertain = true }),
  ("with a corrected date", { $0.addedDays = 7168 }),
  ("in a leap second", { $0.timeOfDay = TimeOfDay(hour: 23, minute: 59, second: 60) }),
]

@Test(arguments: doubts.indices)
func `a doubtful epoch has no time for clocks`(number: Int) {
  let (name, change) = doubts[number]
  // The option that serves such positions to apps makes no difference.
  var pipeline = ReceiverPipeline(isLive: true, servesUnmeasured: true).opened()
  for second in 0..<3 {
    var epoch = timed(second)
    if second == 1 { change(&epoch) }
    pipeline.serve(epoch)
    #expect((pipeline.time == nil) == (second == 1), "an epoch \(name)")
  }
}

@Test func `a recording with an old date has no time for clocks`() {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  var epoch = timed(0)
  epoch.addedDays = 7168
  // The clock of the machine shows an earlier date than the corrected one, so no rollover occurred.
  pipeline.serve(epoch, today: UTCDate(year: 2026, month: 10, day: 1))
  #expect(pipeline.latest != nil && !pipeline.condition.isDateCorrected && pipeline.time == nil)
}

@Test func `signals that may be attacked give no time for clocks`() {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  for number in 0..<90 {
    pipeline.serve(second(number, jamming: number == 10 ? 2 : 1), at: number * 1000)
    #expect((pipeline.time == nil) == (10..<70).contains(number))
  }
}

@Test(
  arguments: [
    (1, 86_401, nil), (1, 86_400, .inserted), (1, 2, .inserted), (1, 1, nil), (-1, 3600, .deleted), (0, 3600, nil),
  ] as [(Int8, Int, LeapSecond?)])
func `a leap second is announced in the day before`(change: Int8, remaining: Int, expected: LeapSecond?) {
  var pipeline = ReceiverPipeline(isLive: true).opened()
  var message = [UInt8](repeating: 0, count: 24)
  message[11] = UInt8(bitPattern: change)
  for index in 0..<4 { message[12 + index] = UInt8(truncatingIfNeeded: remaining >> (index * 8)) }
  message[23] = 0x03
  // The message counts the seconds from its own second. The epoch is a second later.
  let shift = remaining > 3600 ? 0 : 1000
  pipeline.consume(UBXFrame.encode(.navTIMELS, message), at: at(0))
  pipeline.serve(second(0), at: shift)
  #expect(pipeline.time != nil && pipeline.time?.leapSecond == expected)
}
