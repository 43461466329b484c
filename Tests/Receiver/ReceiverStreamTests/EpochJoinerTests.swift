import Base
import GNSS
@testable import Decoding
import Testing

/// A joiner that has emitted the epoch of one NAV-PVT.
private func joinerAfterSolution() -> EpochJoiner {
  var joiner = EpochJoiner(NMEAConfiguration())
  // The payload of a frame is between its header of six bytes and its checksum.
  let payload = Array(solution(0)[6...].dropLast(2))
  joiner.process(.navPVT, payload.span, began: at(0), ended: at(0))
  joiner.silence()
  #expect(joiner.removeFirstReady().map(short) == "0u")
  return joiner
}

@Test func `after three sentences without a time and without NAV-PVT, an epoch needs no time`() {
  var joiner = joinerAfterSolution()
  let isEmitted = (1...4).map { second in
    joiner.process(Epoch(began: at(second * 1000), ended: at(second * 1000)))
    return joiner.removeFirstReady() != nil
  }
  #expect(isEmitted == [false, false, false, true])
}

@Test func `after three instants without NAV-PVT, an epoch from sentences waits no longer`() throws {
  var joiner = joinerAfterSolution()
  for (second, expected) in [(1, []), (2, ["1n"]), (3, ["2n"]), (4, ["3n", "4n"]), (5, ["5n"])] {
    var epoch = Epoch(began: at(second * 1000), ended: at(second * 1000))
    epoch.timeOfDay = TimeOfDay(hour: 12, minute: 0, second: second)
    epoch.date = UTCDate(year: 2026, month: 11, day: 21)
    joiner.process(epoch)
    var ready: [String] = []
    while let next = joiner.removeFirstReady() { ready.append(short(next)) }
    #expect(ready == expected)
  }
}
