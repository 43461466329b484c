import Authorization
import GNSS
import LineProtocol
import Testing

@testable import Disclosure
@testable import Estimation
@testable import Gateway

@Suite struct RegionWatcherTests {
  private static let centre = Coordinate(latitude: 48.1374, longitude: 11.5755)!

  private func region(_ id: String = "home", radius: Double = 500) throws -> Region {
    try Region(id: id, centre: Self.centre, radius: radius, events: [.enter, .exit], text: id)
  }

  private func fix(metres: Double, _ time: Duration) -> SealedFix {
    let coordinate = Coordinate(latitude: Self.centre.latitude + metres / 111_000, longitude: Self.centre.longitude)!
    return SealedFix(
      ReceiverPipeline.Output(
        fix: Fix(time: nil, arrived: at(time), coordinate: coordinate, horizontalAccuracy: 3, mode: .threeDimensional),
        satellites: [], began: at(time)))
  }

  /// A store that records the saves, or fails.
  private struct Store: RegionStore {
    var failure: String?
    private(set) var saves = 0
    private(set) var isWhole: Bool?

    init(failure: String? = nil) { self.failure = failure }

    mutating func save(_ regions: SealedRegions, isWhole: Bool) -> String? {
      saves += 1
      self.isWhole = isWhole
      return failure
    }
  }

  /// Executes a change.
  /// - Returns: The code of the refusal; nil if the change is in force.
  private func execute(
    _ change: RegionWatcher.Change, of app: AppID = a, _ watcher: inout RegionWatcher, _ store: inout Store,
    _ time: Duration = .zero
  ) -> String? {
    var outputs = Outputs()
    do throws(RegionRefusal) {
      try watcher.execute(change, of: app, at: clock(time), in: &store, &outputs)
      return nil
    } catch {
      return ([error.error.code.slug] + error.fields.pairs.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    }
  }

  private func watcher() throws -> RegionWatcher {
    var (watcher, store) = (RegionWatcher(), Store())
    #expect(execute(.add(try region()), &watcher, &store) == nil)
    return watcher
  }

  // MARK: Changes

  @Test func `a region holds when it is saved, is not saved again without a change, and can be removed once`() throws {
    var (watcher, store) = (RegionWatcher(), Store())
    #expect(execute(.add(try region()), &watcher, &store) == nil && store.saves == 1)
    #expect(watcher.regions(of: a) == [try region()] && watcher.apps == [a])
    #expect(watcher.region("home", of: a) != nil && watcher.region("home", of: b) == nil)
    #expect(watcher.registered("home", of: a) == clock().utc)
    #expect(execute(.add(try region()), &watcher, &store) == nil && store.saves == 1)
    #expect(execute(.add(try region(radius: 600)), &watcher, &store) == nil && store.saves == 2)
    #expect(execute(.remove("home"), &watcher, &store) == nil && watcher.isEmpty)
    #expect(execute(.remove("home"), &watcher, &store) == "bad-argument")
  }

  @Test func `a region that cannot be saved does not hold, and the app and the owner learn it`() throws {
    var (watcher, store) = (RegionWatcher(), Store(failure: "disk full"))
    let region = try region()
    let outputs = lines { outputs in
      #expect(throws: RegionRefusal.self) {
        try watcher.execute(.add(region), of: a, at: clock(), in: &store, &outputs)
      }
    }
    #expect(outputs == ["log error: cannot write the regions"])
    #expect(watcher.isEmpty)
  }

  @Test func `an app has at most twenty regions, adds one each minute, and may always remove one`() throws {
    var (watcher, store) = (RegionWatcher(), Store())
    for number in 0..<SealedRegions.most {
      #expect(execute(.add(try region("r\(number)")), &watcher, &store) == nil)
    }
    #expect(execute(.add(try region("more")), &watcher, &store) == "too-many")
    // A registration with the same values is no change.
    #expect(execute(.add(try region("r0")), &watcher, &store) == nil)
    for id in ["r0", "r1"] { #expect(execute(.remove(id), &watcher, &store) == nil) }
    #expect(execute(.add(try region("more")), &watcher, &store) == "rate-limited retry-after=60")
    // Another app has a budget of its own.
    #expect(execute(.add(try region()), of: b, &watcher, &store) == nil)
    var early = watcher
    let refusal = execute(.add(try region("more")), &early, &store, .seconds(60) - .nanoseconds(1))
    #expect(refusal?.hasPrefix("rate-limited") == true)
    #expect(execute(.add(try region("more")), &watcher, &store, .seconds(60)) == nil)
    // A removal counts, if there is something to count.
    #expect(execute(.remove("r2"), &watcher, &store, .seconds(120)) == nil)
    #expect(execute(.add(try region("r2")), &watcher, &store, .seconds(120)) == "rate-limited retry-after=60")
  }

  @Test func `nothing is written over regions that cannot be read`() throws {
    var (watcher, store) = (RegionWatcher(fault: "unknown form"), Store())
    #expect(execute(.add(try region()), &watcher, &store) == "store")
    let outputs = lines {
      watcher.forgetSides(in: &store, &$0)
      watcher.removeAll(of: a, in: &store, &$0)
    }
    #expect(outputs == [] && store.saves == 0)
  }

  @Test func `a save without a change by an app that fails again is reported once`() throws {
    var (empty, watcher, store) = (RegionWatcher(), try watcher(), Store(failure: "disk full"))
    #expect(lines { empty.forgetSides(in: &store, &$0) } == [] && store.saves == 0)
    let error = ["log error: cannot write the regions"]
    #expect(lines { watcher.forgetSides(in: &store, &$0) } == error)
    #expect(lines { watcher.forgetSides(in: &store, &$0) } == [])
    store.failure = nil
    #expect(lines { watcher.forgetSides(in: &store, &$0) } == [])
    store.failure = "disk full"
    #expect(lines { watcher.forgetSides(in: &store, &$0) } == error)
  }

  // MARK: Rights

  @Test func `the regions of an app that may not have them are deleted, and its crossings too`() throws {
    var (watcher, store, outputs) = (try watcher(), Store(), Outputs())
    watcher.add(RegionEvent(region: "home", isEntry: true), of: a, at: at(.zero))
    watcher.removeAll(of: b, in: &store, &outputs)
    #expect(!watcher.isEmpty && store.saves == 0)
    watcher.removeAll(of: a, in: &store, &outputs)
    #expect(store.saves == 1)
    #expect(watcher.isEmpty && watcher.nextDeadline == nil && watcher.pending == [])
  }

  // MARK: Fixes

  /// Compares a fix.
  /// - Returns: The crossings, and the number of saves before them.
  private func compare(
    _ metres: Double, _ second: Int, _ watcher: inout RegionWatcher, for apps: Set<AppID> = [a], told: Set<AppID> = [a]
  ) -> (crossings: [String], saves: Int) {
    var (store, outputs) = (Store(), Outputs())
    let crossings = watcher.compare(
      with: fix(metres: metres, .seconds(second)), for: apps, told: told, at: at(.seconds(second)), in: &store, &outputs
    )
    if told.isEmpty { #expect(store.isWhole != false, "a save has all regions") }
    return (crossings.map { "\($0.app) \($0.event.region) \($0.event.isEntry ? "enter" : "exit")" }, store.saves)
  }

  /// Moves with a fix each second.
  private func stay(_ metres: Double, _ seconds: Range<Int>, _ watcher: inout RegionWatcher, for apps: Set<AppID> = [a])
    -> [String]
  {
    seconds.flatMap { compare(metres, $0, &watcher, for: apps).crossings }
  }

  @Test func `the new side is saved before the crossing is reported`() throws {
    var watcher = try watcher()
    _ = stay(5000, 0..<30, &watcher)
    let crossing = (30..<60).lazy.map { compare(0, $0, &watcher) }.first { !$0.crossings.isEmpty }
    #expect(crossing?.crossings == ["a home enter"] && crossing?.saves == 1)
  }

  // An app could measure the time until a reply, and learn of a crossing from the time of its save.
  @Test func `a crossing that only owners are told is not saved at that time`() throws {
    var watcher = try watcher()
    let steps = (0..<7200).map { compare($0 / 60 % 2 == 0 ? 0 : 5000, $0, &watcher, told: []) }
    let crossings = steps.filter { !$0.crossings.isEmpty }
    #expect(crossings.count == 119)
    // The mean time between two saves is ten minutes, so that 12 of 7,200 fixes cause one.
    #expect(crossings.count { $0.saves > 0 } < 8 && steps.count { $0.saves > 0 } < 60)
  }

  // Otherwise the app could get an event of an earlier crossing after a crash.
  @Test func `the regions of an app are saved when the app is first told their events`() throws {
    var watcher = try watcher()
    let steps = [[], [], [a], [a], [], [a]].enumerated().map { compare(0, $0.offset, &watcher, told: Set($0.element)) }
    #expect(steps.map(\.saves) == [0, 0, 1, 0, 0, 1])
  }

  @Test func `before the gateway ends, all regions are saved, so that a restart repeats no crossing`() throws {
    var (watcher, store, outputs) = (try watcher(), Store(), Outputs())
    watcher.stop(in: &store, &outputs)
    #expect(store.saves == 1 && store.isWhole == true)
    var (empty, other) = (RegionWatcher(), Store())
    empty.stop(in: &other, &outputs)
    #expect(other.saves == 0)
    var failing = Store(failure: "disk full")
    watcher.removeAll(of: a, in: &failing, &outputs)
    watcher.stop(in: &store, &outputs)
    #expect(store.saves == 2, "a removal that could not be saved")
  }

  @Test func `regions are saved at random times although nothing has changed`() throws {
    var watcher = try watcher()
    // The first fix determines the side, and the second is inside for long enough.
    for hour in 0..<3 { _ = compare(0, hour * 3600, &watcher) }
    // The mean time between two saves is ten minutes.
    #expect(compare(0, 100 * 3600, &watcher).saves == 1)
    let often = (1...600).count { compare(0, 100 * 3600 + $0, &watcher).saves > 0 }
    #expect(often < 60)
  }

  @Test func `only the regions of the given apps are watched`() throws {
    var watcher = try watcher()
    #expect(stay(5000, 0..<30, &watcher) == [])
    #expect(stay(0, 30..<60, &watcher, for: [b]) == [])
    #expect(stay(0, 60..<90, &watcher, for: []) == [])
  }

  @Test func `a removal that was not saved is saved with a later fix, although no region is left`() throws {
    var (watcher, store, outputs) = (try watcher(), Store(failure: "disk full"), Outputs())
    watcher.removeAll(of: a, in: &store, &outputs)
    #expect(watcher.isEmpty && store.saves == 1)
    #expect(compare(0, 0, &watcher, for: []).saves == 1)
    #expect(compare(0, 1, &watcher, for: []).saves == 0)
  }

  // MARK: Crossings that wait

  @Test func `a crossing waits until it is reported, erased or expired, and only the latest of a region is true`()
    throws
  {
    var watcher = try watcher()
    let (enter, exit) = (RegionEvent(region: "home", isEntry: true), RegionEvent(region: "home", isEntry: false))
    func pending() -> [String] { watcher.pending.map { "\($0.app) \($0.event.isEntry ? "enter" : "exit")" } }
    watcher.add(enter, of: a, at: at(.zero))
    #expect(pending() == ["a enter"] && watcher.nextDeadline == at(Authorization.Bounds.grantLife))
    watcher.add(enter, of: b, at: at(.seconds(1)))
    watcher.add(exit, of: a, at: at(.seconds(2)))
    #expect(pending() == ["b enter", "a exit"])
    watcher.erase(b)
    #expect(pending() == ["a exit"])
    watcher.noteReported(try #require(watcher.pending.first))
    #expect(pending() == [] && watcher.nextDeadline == nil)
    watcher.add(exit, of: a, at: at(.seconds(2)))
    watcher.erase(nil)
    #expect(watcher.nextDeadline == nil)
  }
}
