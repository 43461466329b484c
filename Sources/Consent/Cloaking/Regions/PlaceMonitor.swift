package import Base
package import GNSS
package import LineProtocol

/// The places of the owner, the apps that may know the names of these places, and the answers to these apps.
///
/// The device enters and leaves a place like a region. If the device is inside several places that an app may know, the
/// app receives the name of the smallest place. Of places with the same radius, the first name in the order of
/// characters counts. If the side of the border of a place is unknown, the device counts as outside this place.
///
/// An app receives at most one name in each slot (a period of at least 15 minutes). The first answer in a slot stays
/// the same until the next slot, or becomes `away` (outside all places) if the owner withdraws the name. Without a
/// press of the button, the answer is the name *in force*, which changes only when the caller begins a slot.
package struct PlaceMonitor: Hashable, Sendable {
  /// The maximum count of places.
  package static let most = 32
  /// The maximum age of an answer without a press of the button while the receiver has no fix, in quarter hours (96 are
  /// a day).
  static let validSlots: Int64 = 96
  /// The maximum age of the last fix in a decision whether the device is inside a place. Without a younger fix, the answer
  /// is unknown.
  package static let oldestFix: Duration = .seconds(60)

  struct Entry: Hashable, Sendable {
    let place: NamedPlace
    let centre: GroundPosition
    var border: BorderTracker

    init(_ place: NamedPlace, side: Side? = nil) {
      self.place = place
      centre = GroundPosition(place.centre)
      border = BorderTracker(side: side)
    }
  }

  /// A series of fixes without a long gap: the instants of its first and its last fix.
  private struct Series: Hashable, Sendable {
    let first: MonotonicInstant
    var last: MonotonicInstant
  }

  /// The places, sorted by radius and name.
  private(set) var entries: [Entry] = []
  /// The names of the places that each app may know, by app. No app has an empty set.
  var known: [String: Set<String>] = [:]
  /// The index of the quarter hour of UTC in which the present answers began, counted from 1970; nil before the first.
  /// This index serves only to compute the age of `inForce`.
  package internal(set) var slot: Int64?
  /// The name of the place that each app was told in the present slot (a period in which answers stay the same), by
  /// app.
  var answers: [String: String] = [:]
  /// The places that contained the device when they were last determined, and the age of this result in quarter hours;
  /// nil if the places are unknown or out of date. Answers without a press of the button use these names.
  var inForce: (names: Set<String>, age: Int64)? {
    get { force.map { ($0.names, $0.age) } }
    set { force = newValue.map { Force(names: $0.names, age: $0.age) } }
  }

  private struct Force: Hashable, Sendable {
    var names: Set<String>
    var age: Int64
  }

  private var force: Force?
  private var series: Series?
  /// Whether the answer to an app may be given again, by app. After a reboot, the first press of the button decides
  /// this for a saved answer; before this press, the app has no value.
  private var checks: [String: Bool] = [:]

  package init() {}

  // MARK: Changes by owners

  package var isEmpty: Bool { entries.isEmpty }

  /// The places, the smallest first.
  package var places: [NamedPlace] { entries.map(\.place) }

  /// The apps that may know the name of at least one place, sorted.
  package var apps: [String] { known.keys.sorted() }

  /// Returns the apps that may know the name of a place, sorted.
  package func apps(knowing name: String) -> [String] { known.filter { $0.value.contains(name) }.keys.sorted() }

  /// Adds a place, or replaces the place with the same name. Answers to apps with the name of a replaced place become
  /// `away` (outside all places).
  ///
  /// - Returns: False if there is already the maximum count of places.
  package mutating func add(_ place: NamedPlace) -> Bool { add(Entry(place)) }

  mutating func add(_ entry: Entry) -> Bool {
    if entries.contains(where: { $0.place == entry.place }) { return true }
    var others = entries.filter { $0.place.name != entry.place.name }
    guard others.count < Self.most else { return false }
    if others.count < entries.count { withdraw(entry.place.name) }
    others.append(entry)
    entries = others.sorted { ($0.place.radius, $0.place.name) < ($1.place.radius, $1.place.name) }
    // More fixes must show on which side of the new border the device is.
    series = nil
    return true
  }

  /// Removes the place with a name. No app may know this name any longer.
  package mutating func remove(_ name: String) {
    entries.removeAll { $0.place.name == name }
    withdraw(name)
    for app in known.keys { deny([name], to: app) }
  }

  /// Removes a name from all answers to apps, because the name no longer stands for the same circle.
  private mutating func withdraw(_ name: String) {
    force?.names.remove(name)
    for (app, answer) in answers where answer == name { answers[app] = NamedPlace.away }
  }

  package mutating func allow(_ names: [String], to app: String) {
    known[app] = known[app, default: []].union(names)
  }

  /// Forbids an app to know some names. If the present answer to the app is one of these names, the answer becomes
  /// `away` (outside all places).
  package mutating func deny(_ names: [String], to app: String) {
    known[app]?.subtract(names)
    if known[app]?.isEmpty == true { known[app] = nil }
    if let answer = answers[app], names.contains(answer) { answers[app] = NamedPlace.away }
  }

  /// Returns the apps that may know a name according to this monitor, but not according to the other monitor.
  package func known(notIn other: PlaceMonitor) -> [String] {
    known.filter { !$0.value.isSubset(of: other.known[$0.key] ?? []) }.keys.sorted()
  }

  // MARK: Fixes and slots

  /// Forgets on which side of each border the device is. Later fixes must show the side again.
  package mutating func forgetSides() {
    for index in entries.indices { entries[index].border = BorderTracker() }
    series = nil
  }

  /// Compares a fix with all places.
  ///
  /// - Parameters:
  ///   - accuracy: The radius in metres of the circle that contains the true position with 68 % probability.
  ///   - arrived: The instant of the measurement.
  package mutating func update(_ coordinate: Coordinate, accuracy: Double, at arrived: MonotonicInstant) {
    let position = GroundPosition(coordinate)
    for index in entries.indices {
      entries[index].border.update(
        radius: entries[index].place.radius, distance: position.distance(to: entries[index].centre),
        accuracy: accuracy, at: arrived)
    }
    if let last = series?.last, last <= arrived, arrived - last <= RegionMonitor.longestGap {
      series?.last = arrived
    } else {
      series = Series(first: arrived, last: arrived)
    }
  }

  /// Whether the fixes show for each place if the device is inside. The fixes without a gap must cover at least 10 s
  /// (`RegionMonitor.dwell`), and the last fix must be at most 60 s old (`oldestFix`).
  package func isSettled(at now: MonotonicInstant) -> Bool {
    guard let series else { return false }
    return series.last - series.first >= RegionMonitor.dwell && now - series.last <= Self.oldestFix
  }

  /// Begins a new slot (a period in which answers stay the same). Every app may receive another name from now on.
  ///
  /// - Parameters:
  ///   - number: The index of the quarter hour of UTC, counted from 1970.
  ///   - mayEvaluate: Whether the names for answers without a press of the button may change now.
  package mutating func beginSlot(_ number: Int64, mayEvaluate: Bool, at now: MonotonicInstant) {
    // The wall clock may have gone back, but at least one slot has passed.
    age(to: number, atLeast: 1)
    (answers, checks) = ([:], [:])
    if mayEvaluate, isSettled(at: now) { force = Force(names: inside, age: 0) }
  }

  /// Continues the slot (a period in which answers stay the same) of an earlier run of the daemon.
  ///
  /// - Parameter number: The index of the present quarter hour of UTC, counted from 1970.
  package mutating func resumeSlot(_ number: Int64) { age(to: number, atLeast: 0) }

  private mutating func age(to number: Int64, atLeast least: Int64) {
    var passed = least
    if let slot, number > slot {
      let (difference, overflows) = number.subtractingReportingOverflow(slot)
      passed = overflows ? Self.validSlots + 1 : min(difference, Self.validSlots + 1)
    }
    slot = number
    guard let age = force?.age else { return }
    force?.age = age + passed
    if age + passed > Self.validSlots { force = nil }
  }

  // MARK: Answers

  /// Returns the name of the place to tell an app; nil if the place is not known yet. The answer stays the same until
  /// the next slot (about 15 minutes).
  ///
  /// - Parameters:
  ///   - isByPress: Whether a press of the button permits to use the present position. If false, the answer comes from
  ///     the names that were determined when the slot began.
  ///   - isFormer: Whether the slot began in an earlier boot of the machine, so that the saved answers may be old.
  package mutating func answer(
    to app: String, isByPress: Bool, isFormer: Bool = false, at now: MonotonicInstant
  ) -> String? {
    guard let answer = answers[app] else {
      guard let answer = newAnswer(to: app, isByPress: isByPress, at: now) else { return nil }
      answers[app] = answer
      checks[app] = true
      return answer
    }
    guard isFormer, checks[app] != true else { return answer }
    guard isByPress else { return force == nil ? nil : answer }
    // The first press decides: each further comparison would reveal more about the movement of the device.
    guard checks[app] == nil, let present = newAnswer(to: app, isByPress: true, at: now) else { return nil }
    checks[app] = present == answer
    return present == answer ? answer : nil
  }

  private func newAnswer(to app: String, isByPress: Bool, at now: MonotonicInstant) -> String? {
    let names: Set<String>
    if isByPress {
      guard isSettled(at: now) else { return nil }
      names = inside
    } else {
      guard let force else { return nil }
      names = force.names
    }
    let permitted = names.intersection(known[app] ?? [])
    return entries.first { permitted.contains($0.place.name) }?.place.name ?? NamedPlace.away
  }

  private var inside: Set<String> { Set(entries.lazy.filter { $0.border.side == .inside }.map(\.place.name)) }
}
