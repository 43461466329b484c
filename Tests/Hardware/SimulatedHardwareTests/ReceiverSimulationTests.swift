import Base
import GNSS
import Testing

@testable import SimulatedHardware

/// 2026-11-21T07:31:34.200Z
let startOfTests = UTCTime(nanosecondsSince1970: 1_795_246_294_200_000_000)

private func bursts(
  _ settings: ReceiverSimulation.Settings, start: UTCTime = startOfTests, count: Int
) -> [ReceiverSimulation.Burst] {
  var simulation = ReceiverSimulation(settings: settings, start: start)
  return (0..<count).map { _ in simulation.next() }
}

@Test func `the same seed and start result in the same bytes and times, and another seed does not`() {
  let (one, two) = (bursts(.init(seed: 7), count: 120), bursts(.init(seed: 7), count: 120))
  #expect(one.map(\.bytes) == two.map(\.bytes) && one.map(\.at) == two.map(\.at))
  #expect(one.last?.bytes != bursts(.init(seed: 8), count: 120).last?.bytes)
}

@Test(arguments: [(false, 1, 2), (true, 28, 30)])
func `the first fixes have no altitude, later ones do`(isCold: Bool, first: Int, altitude: Int) throws {
  for seed in 1...6 as ClosedRange<UInt64> {
    for (second, burst) in bursts(.init(seed: seed, isCold: isCold), count: 60).enumerated() {
      let epoch = try #require(ReportedEpoch(burst))
      #expect(epoch.mode == (second < first ? 1 : second < altitude ? 2 : 3), "seed \(seed), second \(second)")
      #expect(epoch.isValid == (second >= first))
      #expect((epoch.latitude != nil) == (second >= first))
      #expect((epoch.altitude != nil) == (second >= altitude))
      // The height of the geoid in Zürich.
      #expect(epoch.all("GNGGA")[0][11] == (second >= altitude ? "47.3" : ""))
      #expect((burst.truth.mode != nil) == (second >= first))
    }
  }
}

@Test func `without a fix there is no position`() throws {
  let burst = try #require(bursts(.init(), count: 1).first)
  let lines = String(decoding: burst.bytes, as: UTF8.self).split(separator: "\r\n").map { $0.dropLast(3) }
  #expect(
    lines == [
      "$GNRMC,073134.20,V,,,,,,,211126,,,N,V", "$GNVTG,,,,,,,,,N", "$GNGGA,073134.20,,,,,0,00,99.99,,,,,,",
      "$GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,1", "$GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,2",
      "$GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,3", "$GPGSV,1,1,00,0", "$GLGSV,1,1,00,0", "$GAGSV,1,1,00,0",
      "$GNGST,073134.20,,,,,,,",
    ])
}

@Test func `a cold receiver knows neither the time nor the satellites' directions`() throws {
  let all = bursts(.init(isCold: true), count: 31)
  #expect([0, 19, 20].map { ReportedEpoch(all[$0])?.time } == ["", "", "073154.20"])
  for burst in all[8..<28] {
    let rows = try #require(ReportedEpoch(burst)).sentences.filter { $0[0].hasSuffix("GSV") && $0[3] != "00" }
    #expect(!rows.isEmpty)
    #expect(rows.allSatisfy { $0[5].isEmpty && $0[6].isEmpty })
  }
}

@Test(arguments: [1, 3, 10, 25])
func `epochs arrive at the configured rate, each slightly after its instant`(rate: Int) throws {
  let all = bursts(.init(rate: rate), count: 4 * rate + 1)
  for (index, burst) in all.enumerated() {
    let delay = burst.at - .nanoseconds(Int64(index) * 1_000_000_000 / Int64(rate))
    #expect((.milliseconds(50)...Duration.milliseconds(100)).contains(delay))
  }
  let times = try all.map { try #require(ReportedEpoch($0)?.time) }
  #expect(Set(times).count == all.count)
  #expect(times.last == "073138.20")
  #expect(all[rate].truth.mode == .twoDimensional)
}

@Test func `the date changes at midnight`() throws {
  let midnight = try #require(UTCDate(year: 2026, month: 12, day: 31))
  let time = try #require(TimeOfDay(hour: 23, minute: 59, second: 59, nanosecond: 999_999_999))
  let all = bursts(.init(), start: UTCTime(date: midnight, timeOfDay: time), count: 2)
  let epochs = try all.map { try #require(ReportedEpoch($0)) }
  #expect(
    epochs.map { [$0.all("GNRMC")[0][1], $0.all("GNRMC")[0][9]] } == [
      ["235959.99", "311226"], ["000000.99", "010127"],
    ])
}

@Test func `sentences agree with each other and with the satellites`() throws {
  for burst in bursts(.init(seed: 3), count: 600).dropFirst(60) {
    let epoch = try #require(ReportedEpoch(burst))
    let used = epoch.all("GNGSA").flatMap { $0[3..<15].filter { !$0.isEmpty } }
    #expect(Int(epoch.all("GNGGA")[0][7]) == used.count)
    #expect((8...36).contains(used.count))
    let (speed, course) = (try #require(Double(epoch.all("GNRMC")[0][7])), Double(epoch.all("GNRMC")[0][8]))
    #expect(abs(speed * 1852 / 3600 - burst.truth.speed) < 0.4)
    if burst.truth.speed > 1 {
      #expect(abs((try #require(course) - burst.truth.course).remainder(dividingBy: 360)) < 25)
    }
    let hdop = try #require(epoch.hdop)
    #expect((0.4...2.5).contains(hdop))
    for (talker, system) in [("GP", 0), ("GL", 1), ("GA", 2)] {
      var seen: [String] = []
      for sentence in epoch.all(talker + "GSV") {
        #expect((sentence.count - 5).isMultiple(of: 4) && sentence.count <= 21)
        let rows = stride(from: 4, to: sentence.count - 1, by: 4).map { Array(sentence[$0..<$0 + 4]) }
        for row in rows {
          #expect((5...90).contains(try #require(Int(row[1]))))
          #expect((0...359).contains(try #require(Int(row[2]))))
          #expect(row[3].isEmpty == (sentence.last == "0"))
        }
        seen += rows.map { $0[0] }
      }
      #expect(Set(seen).count == seen.count)
      let gsa = epoch.all("GNGSA")[system]
      #expect(Set(gsa[3..<15].filter { !$0.isEmpty }).isSubset(of: seen))
      #expect(gsa[16] == epoch.all("GNGGA")[0][8])
    }
  }
}
