package import Base
package import GNSS
package import LineProtocol

/// The places (named circles) of the owner, the apps that may know their names, and the answers to these apps.
///
/// The device enters and leaves a place like a region. If the device is inside several places that an app may know, the
/// app receives the name of the smallest place. Of places with the same radius, the first name in the order of
/// characters counts. If the side of the border of a place is unknown, the device counts as outside this place.
///
/// An app receives at most one name in each slot (a period of at least 15 minutes). The first answer in a slot stays
/// the same until the next slot. If the owner withdraws the name, the answer becomes `away` (outside all places).
/// Without a press of the button, the answer is the name *in force*, which changes only when the caller begins a slot.
package struct PlaceMonitor: Hashable, Sendable {
  /// The maximum count of places (named circles of the owner).
  package static let most = 32
  /// The maximum age of an answer without a press of the button while the receiver has no fix, in quarter hours (96 are
  /// a day).
  static let validSlots: Int64 = 96
  /// The maximum age of the latest fix for an answer about places. Without a newer fix, the answer is unknown.
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

  /// A series of fixes without a long gap, from the instant of its first fix to the instant of its last fix.
  private struct Series: Hashable, Sendable {
    let first: MonotonicInstant
    var last: MonotonicInstant
  }

  /// The places (named circles) of the owner, the smallest first.
  private(set) var entries: [Entry] = []
  /// The names of the places that each app may know. The key is the app, and no set is empty.
  var known: [String: Set<String>] = [:]
  /// The index of the quarter hour of UTC at the latest call of `beginSlot` or `resumeSlot`, counted from 1970; nil
  /// before the first call. The index serves only to compute the age of `inForce`.
  package internal(set) var slot: Int64?
  /// The answer to each app in the present slot (a period in which answers stay the same): the name of a place, or
  /// `away`. The key is the app.
  var answers: [String: String] = [:]
  /// The names of the places that contained the device at the latest evaluation, and the age of this result in quarter
  /// hours. The value is nil if the result is unknown or out of date. Answers without a press of the button use these
  /// names.
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
  /// Whether the answer to an app from before a reboot or a suspension is still correct, by app. The first press of the
  /// button afterwards decides; before this press, the app has no value.
  private var checks: [String: Bool] = [:]

  package init() {}

  // MARK: Changes by owners

  package var isEmpty: Bool { entries.isEmpty }

  package var places: [NamedPlace] { entries.map(\.place) }

  package var apps: [String] { known.keys.sorted() }

  package func apps(knowing name: String) -> [String] { known.filter { $0.value.contains(name) }.keys.sorted() }

  /// Adds a place, or replaces the place with the same name. The answers to apps that contain the name of a replaced
  /// place become `away` (outside all places).
  ///
  /// - Returns: False if the maximum count of places is reached.
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

  /// Removes a place, and the permissions of apps to know its name.
  package mutating func remove(_ name: String) {
    entries.removeAll { $0.place.name == name }
    withdraw(name)
    for app in known.keys { deny([name], to: app) }
  }

  /// Replaces a name in the present answers to apps by `away` (outside all places). The name no longer stands for the
  /// same circle.
  private mutating func withdraw(_ name: String) {
    force?.names.remove(name)
    for (app, answer) in answers where answer == name { answers[app] = NamedPlace.away }
  }

  package mutating func allow(_ names: [String], to app: String) {
    known[app] = known[app, default: []].union(names)
  }

  /// Removes the permission of an app to know some names. If the present answer to the app is one of these names, the
  /// answer becomes `away` (outside all places).
  package mutating func deny(_ names: [String], to app: String) {
    known[app]?.subtract(names)
    if known[app]?.isEmpty == true { known[app] = nil }
    if let answer = answers[app], names.contains(answer) { answers[app] = NamedPlace.away }
  }

  /// Returns the apps that may know a name according to this monitor, but not according to `other`.
  package func known(notIn other: PlaceMonitor) -> [String] {
    known.filter { !$0.value.isSubset(of: other.known[$0.key] ?? []) }.keys.sorted()
  }

  // MARK: Fixes and slots

  /// Sets the side of the device (inside or outside) to unknown for each place. Later fixes determine the side again.
  package mutating func forgetSides() {
    for index in entries.indices { entries[index].border = BorderTracker() }
    series = nil
  }

  /// Determines from a new fix for each place whether the device is inside or outside.
  ///
  /// - Parameters:
  ///   - accuracy: The radius in metres of the circle that contains the true position with 68 % probability.
  ///   - arrived: The arrival time of the fix.
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

  /// Whether enough fixes have arrived to know for each place whether the device is inside. The series of fixes must
  /// cover at least 10 s (`RegionMonitor.dwell`), and the latest fix must be at most 60 s old (`oldestFix`).
  package func isSettled(at now: MonotonicInstant) -> Bool {
    guard let series else { return false }
    return series.last - series.first >= RegionMonitor.dwell && now - series.last <= Self.oldestFix
  }

  /// Begins a new slot (a period in which answers to apps stay the same), so that every app may receive another answer.
  ///
  /// - Parameters:
  ///   - number: The index of the present quarter hour of UTC, counted from 1970.
  ///   - mayEvaluate: Whether the names for answers without a press of the button may change now.
  package mutating func beginSlot(_ number: Int64, mayEvaluate: Bool, at now: MonotonicInstant) {
    // The wall clock may have gone back, but at least one slot has passed.
    age(to: number, atLeast: 1)
    (answers, checks) = ([:], [:])
    if mayEvaluate, isSettled(at: now) { force = Force(names: inside, age: 0) }
  }

  /// Continues the slot (a period in which answers to apps stay the same) of an earlier run of the daemon.
  ///
  /// - Parameter number: The index of the present quarter hour of UTC, counted from 1970.
  package mutating func resumeSlot(_ number: Int64) { age(to: number, atLeast: 0) }

  /// Records that the machine was suspended. The device may have moved, so its sides of the borders are unknown, and the
  /// first press of the button checks each present answer.
  ///
  /// - Parameter number: The index of the present quarter hour of UTC, counted from 1970; nil if unknown.
  package mutating func noteSuspension(_ number: Int64?) {
    forgetSides()
    // A press that has found an answer false decides for the rest of the slot.
    checks = checks.filter { !$0.value }
    if let number { age(to: number, atLeast: 0) }
  }

  private mutating func age(to number: Int64, atLeast least: UInt64) {
    var passed = least
    // The difference of two 64-bit integers needs all 64 bits, so it has no sign.
    if let slot, number > slot { passed = UInt64(bitPattern: number &- slot) }
    slot = number
    guard let age = force?.age else { return }
    if passed > UInt64(Self.validSlots - age) { force = nil } else { force?.age = age + Int64(passed) }
  }

  // MARK: Answers

  /// Returns the answer to an app: the name of a place, or `away`; nil if the place is unknown. The answer stays the
  /// same until the next slot (a period of at least 15 minutes).
  ///
  /// - Parameters:
  ///   - isByPress: Whether a press of the button permits an answer for the present position. If false, the answer is
  ///     for the position at the beginning of a slot.
  ///   - isFormer: Whether the slot began in an earlier boot of the machine or before a suspension, so that the present
  ///     answers may be old.
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
