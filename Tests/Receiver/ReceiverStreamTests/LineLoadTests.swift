import Base
import Testing

@testable import Decoding

/// Returns the seconds in which a line of 960 bytes per second is reported as saturated, within 20 s.
private func tellings(_ bytesPerSecond: (Int) -> Int, capacity: Int? = 960) -> [Int] {
  var load = LineLoad()
  var told: [Int] = []
  for tenth in 0..<200 {
    let isTold = load.count(bytesPerSecond(tenth / 10) / 10, at: at(tenth * 100), capacity: { capacity })
    if isTold { told.append(tenth / 10) }
  }
  return told
}

@Test func `a line that is full for five seconds is told once, and one that is not full, or not for long, is no news`()
{
  #expect(tellings { _ in 960 } == [5])
  #expect(tellings { _ in 870 } == [5])
  #expect(tellings { _ in 850 } == [])
  #expect(tellings { $0 % 5 == 4 ? 0 : 960 } == [])
  #expect(tellings({ _ in 100_000 }, capacity: nil) == [])
}

@Test func `a burst in each second does not fill a line`() {
  var load = LineLoad()
  for second in 0..<60 {
    for part in 0..<8 {
      // 8 × 96 bytes at the line's own speed, then silence.
      let isTold = load.count(96, at: at(second * 1000 + part * 100), capacity: { 960 })
      #expect(!isTold)
    }
  }
  #expect(!load.isSaturated)
}

@Test func `a line that has room again is not full any more`() {
  var load = LineLoad()
  for tenth in 0..<100 { _ = load.count(96, at: at(tenth * 100), capacity: { 960 }) }
  #expect(load.isSaturated)
  for tenth in 100..<120 { _ = load.count(20, at: at(tenth * 100), capacity: { 960 }) }
  #expect(!load.isSaturated)
}
