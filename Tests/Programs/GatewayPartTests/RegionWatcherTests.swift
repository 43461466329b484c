import Authorization
import Clocks
import GNSS
import LineProtocol
import RecordingClients
import Testing

@testable import Disclosure
@testable import Estimation
@testable import Gateway

@Suite struct RegionWatcherTests {
  private static let centre = Coordinate(latitude: 48.1374, longitude: 11.5755)!
  private let connection = RecordingConnection(1)

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

  private func change(_ kind: RegionWatcher.Change.Kind, _ app: AppID = a) -> RegionWatcher.Input {
    .change(kind, app, tag: "t", connection, clock().utc)
  }

  /// Handles an input, and executes the actions that save data.
  /// - Returns: the actions, without those of saving.
  private func handle(
    _ input: RegionWatcher.Input, _ watcher: inout RegionWatcher, _ time: Duration = .zero, failure: String? = nil
  ) -> [String] {
    watcher.handle(input, at: at(time)).flatMap { action in
      guard case .saveRegions(let regions, let change) = action else { return [action.description] }
      return watcher.handle(.saved(regions, change, failure: failure), at: at(time)).lines
    }
  }

  private func watcher() throws -> RegionWatcher {
    var watcher = RegionWatcher()
    #expect(handle(change(.add(try region())), &watcher) == ["send 1 +OK t"])
    return watcher
  }

  // MARK: Changes

  @Test func `a region holds from the moment at which it is saved`() throws {
    var watcher = RegionWatcher()
    let actions = watcher.handle(change(.add(try region())), at: at(.zero))
    #expect(actions.lines == ["save changed regions"] && watcher.isEmpty)
    guard case .saveRegions(let regions, let change) = actions.first else { return }
    #expect(watcher.handle(.saved(regions, change, failure: nil), at: at(.zero)).lines == ["send 1 +OK t"])
    #expect(watcher.regions(of: a) == [try region()] && watcher.apps == [a])
    #expect(watcher.region("home", of: a) != nil && watcher.region("home", of: b) == nil)
    #expect(watcher.registered("home", of: a) == clock().utc)
  }

  @Test func `a region that cannot be saved does not hold, and the app and the owner learn it`() throws {
    var watcher = RegionWatcher()
    #expect(
      handle(change(.add(try region())), &watcher, failure: "disk full") == [
        "log error: cannot write the regions",
        "send 1 -ERR 513 store t :the gateway cannot save the regions (its log has the cause)",
      ])
    #expect(watcher.isEmpty)
  }

  @Test func `a region that an app has already is not saved again`() throws {
    var watcher = try watcher()
    #expect(watcher.handle(change(.add(try region())), at: at(.zero)).lines == ["send 1 +OK t"])
    #expect(watcher.handle(change(.add(try region(radius: 600))), at: at(.zero)).lines == ["save changed regions"])
  }

  @Test func `a region can be removed, once`() throws {
    var watcher = try watcher()
    #expect(handle(change(.remove("home")), &watcher) == ["send 1 +OK t"])
    #expect(watcher.isEmpty)
    #expect(
      handle(change(.remove("home")), &watcher)
        == ["send 1 -ERR 405 bad-argument t :no region home (REGION LIST lists the regions)"])
  }

  @Test func `an app has at most twenty regions, and changes them at most once a minute`() throws {
    var watcher = RegionWatcher()
    for number in 0..<SealedRegions.most {
      #expect(handle(change(.add(try region("r\(number)"))), &watcher) == ["send 1 +OK t"])
    }
    let more = handle(change(.add(try region("more"))), &watcher)
    #expect(more.first?.hasPrefix("send 1 -ERR 431 too-many t") == true)
    #expect(handle(change(.remove("r0")), &watcher).first?.contains("rate-limited t retry-after=60") == true)
    // Another app has a budget of its own.
    #expect(handle(change(.add(try region()), b), &watcher) == ["send 1 +OK t"])
    #expect(handle(change(.remove("r0")), &watcher, .seconds(60)) == ["send 1 +OK t"])
  }

  @Test func `nothing is written over regions that cannot be read`() throws {
    var watcher = RegionWatcher(fault: "unknown form")
    #expect(handle(change(.add(try region())), &watcher).first?.hasPrefix("send 1 -ERR 513 store") == true)
    #expect(watcher.handle(.lockChanged, at: at(.zero)).lines == [])
    #expect(watcher.handle(.rightChanged(a, mayHave: false), at: at(.zero)).lines == [])
  }

  // MARK: Rights

  @Test func `the regions of an app that may not have them are deleted, and its crossings too`() throws {
    var watcher = try watcher()
    _ = watcher.handle(.report(a, RegionEvent(region: "home", isEntry: true)), at: at(.zero))
    #expect(watcher.handle(.rightChanged(a, mayHave: true), at: at(.zero)).lines == [])
    #expect(watcher.handle(.rightChanged(b, mayHave: false), at: at(.zero)).lines == [])
    #expect(!watcher.isEmpty)
    #expect(watcher.handle(.rightChanged(a, mayHave: false), at: at(.zero)).lines == ["save regions"])
    #expect(watcher.isEmpty && watcher.nextDeadline == nil)
    #expect(watcher.handle(.reportAll, at: at(.zero)).lines == [])
  }

  // MARK: Fixes

  /// Moves with a fix each second.
  private func stay(_ metres: Double, _ seconds: Range<Int>, _ watcher: inout RegionWatcher, for apps: Set<AppID> = [a])
    -> [String]
  {
    seconds.flatMap { handle(.fix(fix(metres: metres, .seconds($0)), for: apps), &watcher, .seconds($0)) }
  }

  @Test func `the first side of a region is no crossing, and a later change is one`() throws {
    var watcher = try watcher()
    #expect(stay(5000, 0..<30, &watcher) == [])
    #expect(stay(0, 30..<60, &watcher) == ["crossed a home enter"])
    #expect(stay(5000, 60..<90, &watcher) == ["crossed a home exit"])
  }

  @Test func `the new side is saved before the crossing is reported`() throws {
    var watcher = try watcher()
    _ = stay(5000, 0..<30, &watcher)
    var lines: [String] = []
    // Regions are also saved at random times, without a crossing.
    for second in 30..<60 where lines.count < 2 {
      lines = watcher.handle(.fix(fix(metres: 0, .seconds(second)), for: [a]), at: at(.seconds(second))).lines
    }
    #expect(lines == ["save regions", "crossed a home enter"])
  }

  @Test func `only the regions of the given apps are watched`() throws {
    var watcher = try watcher()
    #expect(stay(5000, 0..<30, &watcher) == [])
    #expect(stay(0, 30..<60, &watcher, for: [b]) == [])
    #expect(stay(0, 60..<90, &watcher, for: []) == [])
  }

  @Test func `a movement while the gateway is locked stays unknown`() throws {
    var watcher = try watcher()
    _ = stay(5000, 0..<30, &watcher)
    #expect(handle(.lockChanged, &watcher) == [])
    #expect(stay(0, 30..<60, &watcher) == [])
  }

  @Test func `without regions a lock saves nothing`() {
    var watcher = RegionWatcher()
    #expect(watcher.handle(.lockChanged, at: at(.zero)).lines == [])
  }

  // MARK: Crossings that wait

  @Test func `a crossing waits until it is reported, erased or expired, and only the latest of a region is true`()
    throws
  {
    var watcher = try watcher()
    let (enter, exit) = (RegionEvent(region: "home", isEntry: true), RegionEvent(region: "home", isEntry: false))
    #expect(watcher.handle(.report(a, enter), at: at(.zero)).lines == ["report a home enter"])
    #expect(watcher.nextDeadline == at(Authorization.Bounds.grantLife))
    #expect(
      watcher.handle(.report(b, enter), at: at(.seconds(1))).lines == ["report a home enter", "report b home enter"])
    #expect(
      watcher.handle(.report(a, exit), at: at(.seconds(2))).lines == ["report b home enter", "report a home exit"])
    _ = watcher.handle(.erase(b), at: at(.seconds(2)))
    let left = watcher.handle(.reportAll, at: at(.seconds(2)))
    #expect(left.lines == ["report a home exit"])
    for case .reportCrossing(let crossing) in left { _ = watcher.handle(.reported(crossing), at: at(.seconds(2))) }
    #expect(watcher.handle(.reportAll, at: at(.seconds(2))).lines == [] && watcher.nextDeadline == nil)
    _ = watcher.handle(.report(a, exit), at: at(.seconds(2)))
    _ = watcher.handle(.erase(nil), at: at(.seconds(2)))
    #expect(watcher.nextDeadline == nil)
  }
}
