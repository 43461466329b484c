package import Clocks
package import GNSS
package import LineProtocol

/// The border of an app's region was crossed.
package struct Crossing: Hashable, Sendable {
  package let app: String
  package let region: Region
  package let isEntry: Bool
}

/// Apps' regions, and on which side of each border the device is.
///
/// A region is entered inside its radius and left beyond radius + max(10 %, 20 m). Either counts once fixes have spoken
/// for it (see `Reading`) for 10 s, and two of them at least, with none against it between: errors of a receiver are
/// alike for about that long (their autocorrelation falls to 0.6 in 10 s), and a walker is 14 m farther by then. So a
/// region that is driven through in less than 10 s is not noticed. Where a device was first after the registration is no
/// event; a change that happened while nobody looked is one, once.
package struct RegionMonitor: Hashable, Sendable {
  /// How many regions one app may have.
  package static let most = 20
  /// How long fixes must speak for a side.
  package static let dwell: Duration = .seconds(10)
  /// How many there may be in all.
  static let mostInAll = Int(UInt16.max)
  /// After as long without a fix that speaks for a side it has to be spoken for anew.
  package static let longestGap: Duration = .seconds(60)

  struct Entry: Hashable, Sendable {
    let app: String
    let region: Region
    /// When the app registered it; nil if that was not kept.
    let registered: UTCTime?
    var side: Side?
    /// The side that fixes have begun to speak for.
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
    /// When the first fix spoke for it, and the last.
    let first: MonotonicInstant
    var last: MonotonicInstant
  }

  /// In the order of their registration.
  var entries: [Entry] = []

  package init() {}

  // MARK: Registrations

  package var isEmpty: Bool { entries.isEmpty }

  /// Every app that has one, in the order of their names.
  package var apps: [String] { Set(entries.map(\.app)).sorted() }

  /// An app's regions, in the order of their registration.
  package func regions(of app: String) -> [Region] { entries.lazy.filter { $0.app == app }.map(\.region) }

  /// When an app registered a region; nil if that was not kept.
  package func registered(_ id: String, of app: String) -> UTCTime? {
    index(of: id, of: app).flatMap { entries[$0].registered }
  }

  /// Where the device is as far as a region goes; nil while that is not known.
  package func side(of id: String, of app: String) -> Side? { index(of: id, of: app).flatMap { entries[$0].side } }

  /// Registers a region, in place of the one of the same id. The one that it is already keeps its side.
  /// - Parameters:
  ///   - app: a name of 1...64 bytes.
  ///   - registered: the present time.
  /// - Returns: false where the app has as many as it may.
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

  package mutating func remove(_ id: String, of app: String) {
    entries.removeAll { $0.app == app && $0.region.id == id }
  }

  package mutating func removeAll(of app: String) { entries.removeAll { $0.app == app } }

  /// Where the device was is not known any more: what it does meanwhile will be no event.
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

  /// Takes a fix.
  /// - Parameters:
  ///   - accuracy: metres, the radius of the circle that holds the true position with 68 % probability.
  ///   - arrived: when the fix was measured. Time that runs backward begins every dwell anew.
  ///   - isWatched: whether an app's regions are watched now.
  /// - Returns: the crossings that the apps want to know of, in the order of registration, and whether any side changed.
  package mutating func take(
    _ coordinate: Coordinate, accuracy: Double, at arrived: MonotonicInstant,
    isWatched: (String) -> Bool = { _ in true }
  ) -> (crossings: [Crossing], isChanged: Bool) {
    let place = GroundPlace(coordinate)
    var crossings: [Crossing] = []
    var isChanged = false
    for index in entries.indices where isWatched(entries[index].app) {
      let before = entries[index].side
      entries[index].take(distance: place.distance(to: entries[index].place), accuracy: accuracy, at: arrived)
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
  fileprivate mutating func take(distance: Double, accuracy: Double, at arrived: MonotonicInstant) {
    let reading = Reading(distance: distance, accuracy: accuracy, of: Border(of: region, from: side))
    if let candidate, reading.speaks(against: candidate.side) { self.candidate = nil }
    guard let news = Side.allCases.first(where: { $0 != side && reading.speaks(for: $0) }) else { return }
    guard var candidate, candidate.last <= arrived, arrived - candidate.last <= RegionMonitor.longestGap else {
      self.candidate = RegionMonitor.Candidate(side: news, first: arrived, last: arrived)
      return
    }
    candidate.last = arrived
    self.candidate = candidate
    if arrived - candidate.first >= RegionMonitor.dwell {
      side = news
      self.candidate = nil
    }
  }
}
