package import Base
package import GNSS
package import LineProtocol

/// The event that the device entered or left a region (a circle on the ground) of an app.
package struct Crossing: Hashable, Sendable {
  package let app: String
  package let region: Region
  package let isEntry: Bool
}

/// The regions (circles on the ground) of all apps, and for each region whether the device is inside.
///
/// The device enters a region at its radius and leaves the region at radius + max(10 %, 20 m). At least two fixes over
/// at least 10 s must confirm a new side, and no fix between them may contradict the new side (see `BorderEvidence`).
/// The time is 10 s because consecutive errors of a receiver are similar: their autocorrelation falls to 0.6 in 10 s. A
/// pedestrian moves 14 m in this time.
///
/// A visit of less than 10 s is not detected. The first known side after the registration causes no event. If the
/// device crosses a border while no fixes arrive, the event is reported after the next fixes.
package struct RegionMonitor: Hashable, Sendable {
  package static let most = 20
  /// The minimum time for which fixes must show the device on a new side of a region's border before the side counts.
  package static let dwell: Duration = .seconds(10)
  /// The maximum count of regions of all apps together.
  static let mostInAll = Int(UInt16.max)
  /// The maximum time between two consecutive fixes that confirm a side of a region's border. After a longer time, the
  /// confirmation begins again.
  package static let longestGap: Duration = .seconds(60)

  struct Entry: Hashable, Sendable {
    /// The identifier of the region in the state store. Later registrations have higher values.
    let number: Int64
    let app: String
    let region: Region
    /// The time at which the app registered the region; nil if the time is unknown.
    let registered: UTCTime?
    var border: BorderTracker
    let centre: GroundPosition

    init(number: Int64, app: String, region: Region, registered: UTCTime? = nil, side: Side? = nil) {
      self.number = number
      self.app = app
      self.region = region
      self.registered = registered
      border = BorderTracker(side: side)
      centre = GroundPosition(region.centre)
    }

    /// The side of the border on which the device is; nil if the side is unknown.
    var side: Side? {
      get { border.side }
      set { border.side = newValue }
    }
  }

  /// The regions (circles on the ground) of all apps, in the order of registration.
  var entries: [Entry] = []
  /// The identifiers (`Entry.number`) of the regions whose change must be saved at once. A new side of a region about
  /// which only owners get a message waits for the next save of all regions.
  private(set) var unsaved: Set<Int64> = []

  package init() {}

  /// Creates a monitor with saved regions. Returns nil if two regions of an app have the same identifier, or if there
  /// are too many regions.
  init?(_ entries: [Entry], isSaved: Bool) {
    var ids: [String: Set<String>] = [:]
    for entry in entries where !ids[entry.app, default: []].insert(entry.region.id).inserted { return nil }
    guard ids.values.allSatisfy({ $0.count <= Self.most }), entries.count <= Self.mostInAll else { return nil }
    self.entries = entries
    if !isSaved { unsaved = Set(entries.map(\.number)) }
  }

  package var isSaved: Bool { unsaved.isEmpty }

  package mutating func noteSaved() { unsaved = [] }

  /// Makes the next save contain all regions of an app.
  package mutating func noteUnsaved(of app: String) {
    unsaved.formUnion(entries.lazy.filter { $0.app == app }.map(\.number))
  }

  // MARK: Registrations

  package var isEmpty: Bool { entries.isEmpty }

  package var apps: [String] { Set(entries.map(\.app)).sorted() }

  /// Returns the regions of an app, in the order of registration.
  package func regions(of app: String) -> [Region] { entries.lazy.filter { $0.app == app }.map(\.region) }

  package func registered(_ id: String, of app: String) -> UTCTime? {
    index(of: id, of: app).flatMap { entries[$0].registered }
  }

  /// Returns whether the device is inside or outside a region; nil if the side is unknown.
  package func side(of id: String, of app: String) -> Side? { index(of: id, of: app).flatMap { entries[$0].side } }

  /// Registers a region, or replaces the region of the app with the same identifier. A region without a change keeps
  /// its known side.
  ///
  /// - Parameter app: The name of the app, 1 to 64 bytes.
  /// - Returns: False if the app, or all apps together, already have the maximum count of regions.
  package mutating func add(_ region: Region, of app: String, at registered: UTCTime? = nil) -> Bool {
    precondition((1...64).contains(app.utf8.count), "an app's name has 1 to 64 bytes")
    if let index = index(of: region.id, of: app) {
      let number = entries[index].number
      if entries[index].region != region {
        entries[index] = Entry(number: number, app: app, region: region, registered: registered)
        unsaved.insert(number)
      }
      return true
    }
    guard entries.lazy.filter({ $0.app == app }).count < Self.most, entries.count < Self.mostInAll else {
      return false
    }
    let number = (entries.last?.number ?? 0) + 1
    entries.append(Entry(number: number, app: app, region: region, registered: registered))
    unsaved.insert(number)
    return true
  }

  package mutating func remove(_ id: String, of app: String) { remove { $0.app == app && $0.region.id == id } }

  package mutating func removeAll(of app: String) { remove { $0.app == app } }

  private mutating func remove(where isRemoved: (Entry) -> Bool) {
    unsaved.formUnion(entries.lazy.filter(isRemoved).map(\.number))
    entries.removeAll(where: isRemoved)
  }

  /// Sets the side of the device (inside or outside) to unknown for each region. A movement before the next fix then
  /// causes no entry or exit.
  package mutating func forgetSides() {
    for index in entries.indices { entries[index].border = BorderTracker() }
    unsaved.formUnion(entries.map(\.number))
  }

  private func index(of id: String, of app: String) -> Int? {
    entries.firstIndex { $0.app == app && $0.region.id == id }
  }

  // MARK: Fixes

  /// Determines from a new fix for each region whether the device is inside or outside.
  ///
  /// - Parameters:
  ///   - accuracy: The radius in metres of the circle that contains the true position with 68 % probability.
  ///   - arrived: The arrival time of the fix. If the time is earlier than the time of the previous fix, the
  ///     confirmation of every new side starts again.
  ///   - isWatched: A closure that returns whether to update the regions of an app.
  ///   - isTold: A closure that returns whether an app itself gets the messages about its regions. Only the new sides of
  ///     these regions must be saved at once.
  /// - Returns: The entries and exits about which the apps want a message, in the order of registration.
  package mutating func update(
    _ coordinate: Coordinate, accuracy: Double, at arrived: MonotonicInstant,
    isWatched: (String) -> Bool = { _ in true }, isTold: (String) -> Bool = { _ in true }
  ) -> [Crossing] {
    let position = GroundPosition(coordinate)
    var crossings: [Crossing] = []
    for index in entries.indices where isWatched(entries[index].app) {
      let before = entries[index].side
      entries[index].border.update(
        radius: entries[index].region.radius, distance: position.distance(to: entries[index].centre),
        accuracy: accuracy,
        at: arrived)
      guard let side = entries[index].side, side != before else { continue }
      if isTold(entries[index].app) { unsaved.insert(entries[index].number) }
      let region = entries[index].region
      if before != nil, region.events.contains(side == .inside ? .enter : .exit) {
        crossings.append(Crossing(app: entries[index].app, region: region, isEntry: side == .inside))
      }
    }
    return crossings
  }
}
