package import Clocks
package import GNSS
package import LineProtocol

/// The event that the device entered or left a region of an app.
package struct Crossing: Hashable, Sendable {
  package let app: String
  package let region: Region
  package let isEntry: Bool
}

/// The regions of all apps, and the information whether the device is inside each region.
///
/// The device enters a region at its radius and leaves it at radius + max(10 %, 20 m). The monitor accepts a new side
/// when at least two GNSS fixes over a period of at least 10 s confirm the new side, and no fix between them
/// contradicts it (see `BorderEvidence`). The time is 10 s because consecutive errors of a receiver are similar: their
/// autocorrelation falls to 0.6 in 10 s. A pedestrian moves 14 m in this time.
///
/// If the device is inside a region for less than 10 s, the monitor does not detect the visit. When an app registers a
/// region, the first known side causes no crossing. If the device crosses the border while no fixes arrive, the monitor
/// reports one crossing after the next fixes.
package struct RegionMonitor: Hashable, Sendable {
  /// The maximum number of regions of one app.
  package static let most = 20
  /// The minimum time for which GNSS fixes must confirm a new side before the monitor accepts it.
  package static let dwell: Duration = .seconds(10)
  /// The maximum number of regions of all apps.
  static let mostInAll = Int(UInt16.max)
  /// The maximum time between two consecutive GNSS fixes that confirm a side. If the time is longer, the monitor begins
  /// the confirmation of the side again.
  package static let longestGap: Duration = .seconds(60)

  struct Entry: Hashable, Sendable {
    let app: String
    let region: Region
    /// The time at which the app registered the region; nil if this time is unknown.
    let registered: UTCTime?
    var side: Side?
    /// The side on which the device probably is now, while the monitor waits for further GNSS fixes that confirm this
    /// side; nil if there is no such side.
    var candidate: Candidate?
    let place: GroundPlace

    init(app: String, region: Region, registered: UTCTime? = nil, side: Side? = nil) {
      self.app = app
      self.region = region
      self.registered = registered
      self.side = side
      place = GroundPlace(region.centre)
    }
  }

  struct Candidate: Hashable, Sendable {
    let side: Side
    /// The instants of the first GNSS fix and of the last GNSS fix that confirmed the new side.
    let first: MonotonicInstant
    var last: MonotonicInstant
  }

  /// The regions with their state, in the order of registration.
  var entries: [Entry] = []

  package init() {}

  // MARK: Registrations

  /// Whether no app has registered a region.
  package var isEmpty: Bool { entries.isEmpty }

  /// The apps that have regions, sorted by name.
  package var apps: [String] { Set(entries.map(\.app)).sorted() }

  /// Returns the regions of an app, in the order of registration.
  package func regions(of app: String) -> [Region] { entries.lazy.filter { $0.app == app }.map(\.region) }

  /// Returns the time at which an app registered a region; nil if this time is unknown.
  package func registered(_ id: String, of app: String) -> UTCTime? {
    index(of: id, of: app).flatMap { entries[$0].registered }
  }

  /// Returns whether the device is inside or outside a region; nil if this is unknown.
  package func side(of id: String, of app: String) -> Side? { index(of: id, of: app).flatMap { entries[$0].side } }

  /// Registers a region. The new region replaces the app's region with the same id. If the new region equals the old
  /// region, nothing changes, so the monitor still knows whether the device is inside.
  ///
  /// - Parameters:
  ///   - region: The region.
  ///   - app: The name of the app, 1...64 bytes.
  ///   - registered: The present time, as the time of the registration.
  /// - Returns: Whether the region is registered; false if the app, or all apps together, have the maximum number.
  package mutating func add(_ region: Region, of app: String, at registered: UTCTime? = nil) -> Bool {
    precondition((1...64).contains(app.utf8.count), "an app's name has 1 to 64 bytes")
    if let index = index(of: region.id, of: app) {
      if entries[index].region != region { entries[index] = Entry(app: app, region: region, registered: registered) }
      return true
    }
    guard entries.lazy.filter({ $0.app == app }).count < Self.most, entries.count < Self.mostInAll else {
      return false
    }
    entries.append(Entry(app: app, region: region, registered: registered))
    return true
  }

  /// Removes a region of an app.
  package mutating func remove(_ id: String, of app: String) {
    entries.removeAll { $0.app == app && $0.region.id == id }
  }

  /// Removes all regions of an app.
  package mutating func removeAll(of app: String) { entries.removeAll { $0.app == app } }

  /// Forgets for all regions whether the device is inside. If the device moves before the next GNSS fix arrives, this
  /// movement causes no entry or exit.
  package mutating func forgetSides() {
    for index in entries.indices {
      entries[index].side = nil
      entries[index].candidate = nil
    }
  }

  private func index(of id: String, of app: String) -> Int? {
    entries.firstIndex { $0.app == app && $0.region.id == id }
  }

  // MARK: Fixes

  /// Compares a fix with all regions, and updates whether the device is inside each region.
  ///
  /// - Parameters:
  ///   - coordinate: The position of the fix.
  ///   - accuracy: The radius in metres of the circle that contains the true position with 68 % probability.
  ///   - arrived: The instant of the measurement. If this instant is before the instant of the previous fix, the
  ///     confirmation of every new side starts again.
  ///   - isWatched: Whether the monitor updates the regions of this app.
  /// - Returns: The entries and exits about which the apps want a message, in the order in which the regions were
  ///   registered. `isChanged` is true if the side of any region changed.
  package mutating func update(
    _ coordinate: Coordinate, accuracy: Double, at arrived: MonotonicInstant,
    isWatched: (String) -> Bool = { _ in true }
  ) -> (crossings: [Crossing], isChanged: Bool) {
    let place = GroundPlace(coordinate)
    var crossings: [Crossing] = []
    var isChanged = false
    for index in entries.indices where isWatched(entries[index].app) {
      let before = entries[index].side
      entries[index].update(distance: place.distance(to: entries[index].place), accuracy: accuracy, at: arrived)
      guard let side = entries[index].side, side != before else { continue }
      isChanged = true
      let region = entries[index].region
      if before != nil, region.events.contains(side == .inside ? .enter : .exit) {
        crossings.append(Crossing(app: entries[index].app, region: region, isEntry: side == .inside))
      }
    }
    return (crossings, isChanged)
  }
}

extension RegionMonitor.Entry {
  fileprivate mutating func update(distance: Double, accuracy: Double, at arrived: MonotonicInstant) {
    let evidence = BorderEvidence(distance: distance, accuracy: accuracy, of: Border(of: region, from: side))
    if let candidate, evidence.contradicts(candidate.side) { self.candidate = nil }
    guard let newSide = Side.allCases.first(where: { $0 != side && evidence.confirms($0) }) else { return }
    guard var candidate, candidate.last <= arrived, arrived - candidate.last <= RegionMonitor.longestGap else {
      self.candidate = RegionMonitor.Candidate(side: newSide, first: arrived, last: arrived)
      return
    }
    candidate.last = arrived
    self.candidate = candidate
    if arrived - candidate.first >= RegionMonitor.dwell {
      side = newSide
      self.candidate = nil
    }
  }
}
