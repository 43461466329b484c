import GNSS
import Testing

@testable import Estimation

/// Returns epochs of a drive with an altitude of 400 m, whose standard deviation is 5 m.
private func epochs(_ count: Int) -> [Epoch] {
  Course().epochs(count).map { epoch in
    var epoch = epoch
    (epoch.mode, epoch.altitude, epoch.geoidSeparation) = (.threeDimensional, 400, 47)
    epoch.errorStatistics?.altitude = 5
    return epoch
  }
}

@Test(arguments: [(0, 400, true), (0, 401, false), (-1, 400, false), (30, 400, true), (31, 400, false)])
func `a repeated altitude continues the filter, and another one at the same time or after a gap does not`(
  seconds: Double, altitude: Double, isContinued: Bool
) {
  var track = HeightTrack(400, deviation: 5, .standard)
  let continues = track.update(altitude, deviation: 5, after: seconds, .standard)
  #expect(continues == isContinued)
}

@Test func `altitudes that stay elsewhere are accepted after 6.5 s`() throws {
  var epochs = epochs(110)
  for index in 80..<110 { epochs[index].altitude = 500 }
  let altitudes = try filtered(epochs).map { try #require($0?.altitude) }
  #expect(altitudes[..<80].allSatisfy { abs($0 - 400) < 1 })
  #expect(altitudes[80..<86].allSatisfy { abs($0 - 400) < 10 })
  #expect(altitudes[86...].allSatisfy { abs($0 - 500) < 1 })
}

@Test(arguments: [(30, false), (31, true)])
func `after a gap of more than 30 s, the first altitude is used at once`(gap: Int, isUsed: Bool) throws {
  var epochs = epochs(100)
  // The receiver does not smooth its altitudes.
  for index in epochs.indices { epochs[index].altitude = index.isMultiple(of: 2) ? 404 : 396 }
  let fixes = filtered(Array(epochs[...(99 - gap)]) + [epochs[99]])
  let altitude = try #require(fixes.last??.altitude)
  #expect((altitude == 396) == isUsed && (396..<404).contains(altitude))
}

@Test func `a coasted fix keeps the altitude, and its vertical accuracy becomes worse`() throws {
  var epochs = epochs(90)
  for index in 60..<90 { epochs[index] = Course.epoch(at: Double(index)) }
  let fixes = try filtered(epochs).suffix(31).map { try #require($0) }
  #expect(fixes.dropFirst().allSatisfy { $0.isCoasted && $0.mode == .threeDimensional })
  #expect(fixes.allSatisfy { $0.altitude == fixes[0].altitude && $0.geoidSeparation == 47 })
  let accuracies = try fixes.dropFirst().map { try #require($0.verticalAccuracy) }
  #expect(accuracies[14] > accuracies[0] && accuracies[29] > 2 * accuracies[0])
  // A two-dimensional fix is coasted without an altitude.
  epochs[59].mode = .twoDimensional
  let flat = try #require(filtered(epochs).last ?? nil)
  #expect(flat.isCoasted && (flat.altitude, flat.verticalAccuracy, flat.geoidSeparation) == (nil, nil, nil))
}

@Test func `an altitude that was measured once changes by about 1 m/s`() {
  let later = HeightTrack(400, deviation: 5, .standard).coasted(10, deviation: 5, .standard)
  #expect(later.height == 400)
  // The variance is 5² + 5² + (1 · 10)² + 0.05 · 10³ / 3.
  #expect(abs(later.deviation * later.deviation - (150 + 50 / 3.0)) < 1e-9)
}
