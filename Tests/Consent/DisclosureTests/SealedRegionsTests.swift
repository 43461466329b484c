import Authorization
import Base
import GNSS
import LineProtocol
import RecordingClients
import StateStore
import Testing

@testable import Disclosure

/// The regions of the apps, and their state in the store.
@Suite struct SealedRegionsTests {
  private let b = AppID("b")!

  private func region(_ id: String, _ centre: Coordinate = .here) throws -> Region {
    try Region(id: id, centre: centre, radius: 500, events: [.enter, .exit], text: "Home")
  }

  @Test func `an app has only its own regions, also if a region has the name of another app`() throws {
    var regions = SealedRegions()
    let (near, far) = (try region("b"), try region("a", Coordinate.here.moved(north: 5000)))
    let later = (start + .seconds(60)).utc
    _ = regions.add(near, of: a, at: start.utc)
    _ = regions.add(far, of: b, at: later)
    #expect(regions.apps == [a, b] && regions.regions(of: a) == [near] && regions.regions(of: b) == [far])
    #expect(regions.region("b", of: a) == near && regions.region("b", of: b) == nil)
    #expect(regions.registered("b", of: a) == start.utc && regions.registered("a", of: b) == later)
    for second in 0...12 {
      _ = regions.update(with: SealedFix(arrived: start.monotonic + .seconds(second)), for: [a, b], told: [])
    }
    #expect(regions.ownerJSON(near, of: a).contains(#""state":"inside""#))
    #expect(regions.ownerJSON(far, of: b).contains(#""state":"outside""#))
    regions.remove("b", of: a)
    #expect(regions.apps == [b])
    regions.removeAll(of: b)
    #expect(regions.isEmpty)
  }

  @Test func `regions are saved until the store has all changes, and a restart reads them`() throws {
    let outbox = try OutboxFixes(at: start)
    var regions = SealedRegions()
    #expect(regions.isSaved)
    let isAdded = regions.add(try region("home"), of: a, at: start.utc)
    #expect(isAdded && !regions.isSaved)
    try regions.save(in: outbox.store)
    #expect(!regions.isSaved, "the caller has not recorded the save yet")
    regions.noteSaved()
    #expect(regions.isSaved)
    let later = try SealedRegions(from: outbox.store)
    #expect(try later.isSaved && later.regions(of: a) == [region("home")])
    #expect(later.registered("home", of: a) == start.utc)
    try SealedRegions.erase(from: outbox.store)
    #expect(try SealedRegions(from: outbox.store).isEmpty)
  }

  @Test(arguments: [true, false])
  func `regions in the format of an earlier version are saved once more, which removes this format`(
    hasRegion: Bool
  ) throws {
    let outbox = try OutboxFixes(at: start)
    var former: [UInt8] = [2, 0, 0]
    if hasRegion {
      var regions = SealedRegions()
      _ = regions.add(try region("home"), of: a, at: start.utc)
      try regions.save(in: outbox.store)
      // All regions are in one value: the version, their count, and each region without its version.
      former = [2, 0, 1] + (try #require(outbox.store.regions().first)).bytes.dropFirst()
      try SealedRegions.erase(from: outbox.store)
    }
    try outbox.store.seal(former, as: "regions")
    var regions = try SealedRegions(from: outbox.store)
    let expected = hasRegion ? [try region("home")] : []
    #expect(regions.regions(of: a) == expected && !regions.isSaved)
    try regions.save(in: outbox.store)
    regions.noteSaved()
    #expect(regions.isSaved)
    #expect(try outbox.store.unseal("regions") == nil)
    #expect(try SealedRegions(from: outbox.store).regions(of: a) == expected)
  }

  @Test func `regions in an unknown format are refused`() throws {
    let outbox = try OutboxFixes(at: start)
    try outbox.store.seal([9], as: "regions")
    #expect(throws: RegionsUnreadable.self) { _ = try SealedRegions(from: outbox.store) }
  }
}
