import Clocks
import GNSS
import Hardware
import Testing
import UBX

@testable import Gateway

private func at(_ milliseconds: Int) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: 0) + .milliseconds(milliseconds)
}

/// Goes through all that is complete.
@discardableResult
private func serve(_ reception: inout Reception) -> Int {
  var count = 0
  while reception.takeNext() { count += 1 }
  return count
}

private let sentence = Array("$GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,*7F\r\n".utf8)

@Test func `a receiver that falls silent is not ready any more, and its fix is gone`() throws {
  var reception = Reception(isLive: true)
  reception.opened()
  #expect(reception.condition.state == .starting)
  reception.take(sentence, at: at(0))
  var now = at(0)
  while let deadline = reception.nextDeadline, reception.latest == nil {
    now = deadline
    reception.idle(at: now)
    serve(&reception)
  }
  #expect(reception.condition.state == .ready)
  #expect(reception.latest != nil)
  let silent = try #require(reception.nextDeadline)
  #expect(silent == at(6000))
  reception.idle(at: silent - .milliseconds(1))
  #expect(reception.condition.state == .ready)
  reception.idle(at: silent)
  #expect(reception.condition.state == .starting)
  #expect(reception.latest == nil)
  #expect(reception.nextDeadline == nil)
}

@Test(arguments: [true, false])
func `a sentence without a checksum is served only where that is allowed`(requiresChecksum: Bool) {
  var reception = Reception(isLive: true, requiresChecksum: requiresChecksum)
  reception.opened()
  reception.take(Array(String(decoding: sentence, as: UTF8.self).replacing("*7F", with: "").utf8), at: at(0))
  reception.idle(at: at(1000))
  #expect(serve(&reception) == (requiresChecksum ? 0 : 1))
  #expect((reception.latest == nil) == requiresChecksum)
}

@Test func `a receiver that is lost has no fix`() {
  var reception = Reception(isLive: true)
  reception.opened()
  reception.take(sentence, at: at(0))
  reception.idle(at: at(1000))
  serve(&reception)
  #expect(reception.latest != nil)
  reception.lost(cause: "unplugged")
  #expect(reception.condition.state == .absent)
  #expect(reception.latest == nil)
}

@Test(arguments: [
  ("2026-11-21", "2023-07-11"),  // The clock is right: the log is old.
  ("2043-03-01", "2043-02-24"),  // The receiver's week has rolled over since.
  ("1970-01-01", "2043-02-24"),  // The clock tells nothing.
])
func `a date before the floor is a week rollover only where this machine's clock allows it`(
  today: String, date: String
) throws {
  func day(_ text: String) throws -> UTCDate { try #require(UTCTime(iso8601: "\(text)T00:00:00Z")).date }
  var reception = Reception(isLive: true)
  reception.opened()
  reception.today = try day(today)
  let old = "$GNRMC,060412.00,A,3509.9236360,N,13652.8865444,E,0.087,73.28,110723,,,A,V*3C\r\n"
  reception.take(Array(old.utf8), at: at(0))
  while let deadline = reception.nextDeadline, reception.latest == nil {
    reception.idle(at: deadline)
    serve(&reception)
  }
  #expect(try #require(reception.latest).date == day(date))
  let isMoved = date == "2043-02-24"
  #expect(reception.condition.isDateCorrected == isMoved)
  #expect(try reception.takeDoubt() == (isMoved ? .rolledOver(taken: day(date)) : .old(day(date))))
  #expect(reception.takeDoubt() == nil)
}

@Test func `what is wrong with a date is told once as long as it stays so, and again for the next receiver`() throws {
  var reception = Reception(isLive: true)
  var doubts: [DateDoubt] = []
  func say(_ day: String, _ second: Int) {
    let line = nmea("GNRMC,06041\(second).00,A,3509.9236,N,13652.8865,E,0.087,73.28,\(day),,,A,V")
    reception.take(line, at: at(second * 1000))
    reception.idle(at: at(second * 1000 + 900))
    serve(&reception)
    if let doubt = reception.takeDoubt() { doubts.append(doubt) }
  }
  reception.opened()
  for second in 0..<4 { say("110723", second) }
  #expect(doubts.count == 1)
  say("211126", 4)
  #expect(doubts.count == 1 && !reception.condition.isDateCorrected)
  for second in 5..<8 { say("110723", second) }
  #expect(doubts.count == 2)
  reception.opened()
  say("110723", 9)
  #expect(doubts.count == 3)
}

@Test func `answers and restarts are heard where somebody listens, and only there`() {
  let stream =
    Array("$GNTXT,01,01,02,u-blox AG - www.u-blox.com*4E\r\n$GNTXT,01,01,02,ANTSTATUS=OK*25\r\n".utf8)
    + UBXFrame.encode(.ack, [0x06, 0x8A]) + UBXFrame.encode(.navDOP, [UInt8](repeating: 0, count: 18))
  for listens in [true, false] {
    for chunk in [stream.count, 7] {
      var reception = Reception(isLive: true)
      reception.listens = listens
      reception.opened()
      var start = 0
      while start < stream.count {
        let end = min(stream.count, start + chunk)
        reception.take(Array(stream[start..<end]), at: at(start))
        start = end
      }
      #expect(reception.takeHeard() == (listens ? [.started, .frame(.ack, [0x06, 0x8A])] : []))
      #expect(reception.takeHeard() == [])
    }
  }
}

@Test func `a fix that is lost is coasted, as old as its last measurement, for 30 s`() throws {
  var reception = Reception(isLive: false)
  reception.opened()
  func take(_ second: Int, hasFix: Bool) {
    var epoch = Epoch(began: at(second * 1000), ended: at(second * 1000 + 50))
    epoch.date = UTCDate(year: 2026, month: 11, day: 21)
    epoch.timeOfDay = TimeOfDay(hour: 7, minute: second / 60, second: second % 60)
    epoch.quality = hasFix ? .autonomous : .invalid
    if hasFix { epoch.coordinate = Coordinate(latitude: 47.376888, longitude: 8.541694) }
    reception.take(epoch)
    #expect(serve(&reception) == 1)
  }
  for second in 0..<20 { take(second, hasFix: true) }
  #expect(reception.condition.state == .ready)
  for second in 20...49 {
    take(second, hasFix: false)
    // It has no fix, and says so.
    #expect(reception.condition.state == .acquiring)
    #expect(reception.condition.mode == nil)
    let latest = try #require(reception.latest)
    #expect(latest.arrived == at(19_000))
    // The receiver's clock goes on.
    #expect(latest.utc(at: at(second * 1000)) == UTCTime(iso8601: "2026-11-21T07:00:\(second)Z"))
  }
  take(50, hasFix: false)
  #expect(reception.latest == nil)
}

@Test(arguments: [FixQuality.estimated, .manual, .simulator, .invalid], [false, true])
func `what a receiver reckoned, was told or simulates is served only where its owner wants it`(
  quality: FixQuality, servesUnmeasured: Bool
) {
  let isServed = servesUnmeasured && quality != .invalid
  var reception = Reception(isLive: true, servesUnmeasured: servesUnmeasured)
  reception.opened()
  for second in 0..<10 {
    var epoch = Epoch(began: at(second * 1000), ended: at(second * 1000 + 50))
    epoch.coordinate = Coordinate(latitude: 47.376888, longitude: 8.541694)
    epoch.quality = quality
    reception.take(epoch)
    #expect(serve(&reception) == 1)
    #expect((reception.latest != nil) == isServed)
    #expect(reception.condition.state == (isServed ? .ready : .acquiring))
  }
}
