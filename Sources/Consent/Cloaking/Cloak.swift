package import Clocks
package import GNSS

/// The cloak: it turns precise positions into approximate positions for apps with reduced accuracy. The answers stay
/// approximate even if an attacker combines the answers to many requests, to many apps and over many days.
///
/// The earth has a public lattice of nodes, 2 km apart. Each node has a *secret site* near it. A position belongs to
/// the node with the nearest site, and the cloak discloses only that node (`SecretPartition`). Time is divided into
/// slots of 15 minutes that begin at secret times, and the cloak evaluates the position once in each slot
/// (`SlotSchedule`). When the device stays at a place, the cloak gives the same node within 2.5 km of that place
/// (`DwellZone`), so that errands do not reveal a home. Every app gets the same answer, because a device has one cloak,
/// one key and one memory.
///
/// Assume that a device stays at a place or returns to the place, and that an attacker knows everything except the key.
/// The cloak guarantees that the attacker's estimate of the place has a mean and median error of 1.3 km. Further
/// answers are identical, so the error is the same after one answer and after ten thousand. 1.3 km is also the mean
/// distance between the answer and the true position. 95 % of the answers are within 2.5 km of the true position. If
/// the device moves about within its dwell zones, only 90 % of the answers are within 2.5 km.
///
/// The cloak does not guarantee:
///
/// - a minimum error in each single case: one estimate in twelve has an error of less than 500 m;
/// - much protection for a car on a road that the attacker knows: the error is then about 440 m;
/// - much protection for a home, if the device often leaves the zone of the home in all directions, and the attacker
///   averages the answers of months: the error is then less than 400 m. Every method whose answers follow the true
///   position has this weakness.
package struct Cloak: Sendable {
  /// The state that the cloak needs again after a restart of the daemon. After each change, the caller encrypts and
  /// saves this state. Only then may the caller disclose the approximate position to an app.
  package private(set) var memory: Memory

  private let partition: SecretPartition
  private let grid: DwellGrid
  private var schedule: SlotSchedule
  private let coarsensTravel: Bool
  /// The number of the current slot. The value is nil if the cloak has already evaluated the position in the current
  /// slot.
  private var openSlot: Int64?
  /// The instant of the last evaluation in this run of the daemon; nil before the first one.
  private var evaluated: MonotonicInstant?
  /// The node with which the cloak answers a request under a standing authorization. The node changes only when a new
  /// slot begins. The receiver has no effect on the node.
  private var nodeInForce: Node?

  /// The maximum delay of a call of `advance` after a slot boundary. A call with a longer delay does not count as a
  /// call at the boundary.
  private static let boundaryTolerance: Duration = .seconds(5)
  /// The time for which a node is valid after its evaluation.
  package static let validity: Duration = .seconds(86_400)

  /// Creates a cloak from its key and its saved memory.
  ///
  /// - Parameters:
  ///   - key: The secret of this device.
  ///   - memory: The saved memory; an empty memory for a new device.
  ///   - coarsensTravel: Whether the cloak uses a lattice of 8 km, with an accuracy of 10 km, while the device moves
  ///     faster than 5 m/s. The cloak returns to the lattice of 2 km after two slots with a lower speed. The coarse
  ///     lattice protects a traveller on a known road, but reveals that the device travels.
  package init(key: CloakKey, memory: Memory, coarsensTravel: Bool = false) {
    self.memory = memory
    self.coarsensTravel = coarsensTravel
    nodeInForce = memory.node
    partition = SecretPartition(key: key)
    grid = DwellGrid(key: key)
    schedule = SlotSchedule(key: key)
  }

  /// Returns the reduced fix to disclose now. If a new slot has begun, the cloak chooses the node for the position.
  /// Otherwise the cloak returns the stored node.
  ///
  /// - Parameters:
  ///   - coordinate: The position of the device. The cloak uses it only in a new slot.
  ///   - speed: The speed over ground in metres per second. The cloak uses it only if `coarsensTravel` is true.
  ///   - instant: The monotonic time of the disclosure. Only this time starts slots while the daemon runs.
  ///   - utc: The date and time of the disclosure. This time aligns the slots after a restart. The fix contains the
  ///     quarter hour of this time.
  package mutating func reduce(
    _ coordinate: Coordinate, speed: Double? = nil, at instant: MonotonicInstant, utc: UTCTime
  ) -> ReducedFix {
    advance(to: instant, utc: utc, coordinate, speed: speed)
    if let node = memory.node, openSlot == nil { return ReducedFix(node: node, utc: utc) }
    return ReducedFix(node: evaluateSlot(at: coordinate, speed: speed, instant), utc: utc)
  }

  /// The end of the current slot; nil before the first call of `advance` or `reduce` in this run.
  package var slotEnd: MonotonicInstant? { schedule.end }

  /// Starts a new slot (a period of 15 minutes) if the current slot has ended. If the call is at the boundary of the
  /// slots and the position of the device is known, the cloak chooses a node for the position. A node is a public point
  /// near the device. From then on, apps with a standing authorization receive this node as the approximate position.
  ///
  /// - Parameters:
  ///   - instant: The present.
  ///   - utc: The date and time. This time aligns the first slot of a run of the daemon with the slots of the previous
  ///     run.
  ///   - coordinate: The position of the device; nil if the receiver has no fix.
  ///   - speed: The speed over ground in metres per second. The cloak uses it only if `coarsensTravel` is true.
  /// - Returns: Whether the call was at a slot boundary.
  @discardableResult
  package mutating func advance(
    to instant: MonotonicInstant, utc: UTCTime, _ coordinate: Coordinate?, speed: Double? = nil
  ) -> Bool {
    // A new slot can also start without a slot boundary: when the daemon starts, or when the first call in a slot comes
    // late.
    let isBoundary = schedule.end.map { instant - $0 <= Self.boundaryTolerance } ?? false
    guard let slot = schedule.beginSlot(at: instant, utc: utc, last: memory.node == nil ? nil : memory.slot) else {
      return false
    }
    openSlot = slot
    if isBoundary, let coordinate { evaluateSlot(at: coordinate, speed: speed, instant) }
    let isValid =
      if let evaluated {
        instant - evaluated <= Self.validity
      } else {
        slot - memory.slot <= Self.validity.clampedNanoseconds / SlotSchedule.length
      }
    if isBoundary { nodeInForce = memory.node }
    if !isValid { nodeInForce = nil }
    return isBoundary
  }

  /// Returns the fix that answers requests under a standing authorization; nil if the cloak has no valid node.
  package func fixInForce(utc: UTCTime) -> ReducedFix? { nodeInForce.map { ReducedFix(node: $0, utc: utc) } }

  @discardableResult
  private mutating func evaluateSlot(at coordinate: Coordinate, speed: Double?, _ instant: MonotonicInstant) -> Node {
    let node = evaluate(coordinate, speed: speed)
    memory.node = node
    memory.slot = openSlot ?? memory.slot
    openSlot = nil
    evaluated = instant
    return node
  }
}

extension Cloak {
  /// The speed above which the device counts as travelling, in metres per second.
  static let travellingSpeed = 5.0
  /// The number of consecutive slots at a low speed after which the cloak assumes that a journey has ended. One slot at
  /// a low speed is not enough, because the device may wait at a red light.
  static let slotsToSlowDown = 2

  private mutating func evaluate(_ coordinate: Coordinate, speed: Double?) -> Node {
    if let zone = activateZone(containing: coordinate) {
      memory.candidate = nil
      memory.slowSlots = 0
      return zone.node
    }
    let lattice = lattice(atSpeed: speed)
    let node = partition.node(of: coordinate, in: lattice, current: memory.node)
    if lattice == .near {
      detectStay(at: coordinate, reporting: node)
    } else {
      memory.candidate = nil
    }
    return node
  }

  private mutating func lattice(atSpeed speed: Double?) -> Lattice {
    let slowSlots = memory.slowSlots + 1
    memory.slowSlots = 0
    guard coarsensTravel else { return .near }
    if let speed, speed > Self.travellingSpeed { return .far }
    guard memory.node?.lattice == .far, slowSlots < Self.slotsToSlowDown else { return .near }
    memory.slowSlots = slowSlots
    return .far
  }

  /// Returns the zone that contains a position, and marks this zone as the most recently used. If several zones contain
  /// the position, the function returns the zone with the nearest centre.
  private mutating func activateZone(containing coordinate: Coordinate) -> DwellZone? {
    let place = Direction(coordinate)
    var nearest: (index: Int, distance: Double)?
    for (index, zone) in memory.zones.enumerated() {
      let distance = place.distance(to: Direction(grid.centre(of: zone.cell)))
      if distance < min(DwellZone.radius, nearest?.distance ?? .infinity) { nearest = (index, distance) }
    }
    guard let nearest else { return nil }
    let zone = memory.zones.remove(at: nearest.index)
    memory.zones.append(zone)
    return zone
  }

  /// Creates a zone if the device is at the same place as in the previous slot, and if this place is outside every
  /// zone.
  private mutating func detectStay(at coordinate: Coordinate, reporting node: Node) {
    guard let candidate = memory.candidate,
      Direction(candidate).distance(to: Direction(coordinate)) < DwellZone.stayDistance
    else {
      memory.candidate = coordinate
      return
    }
    memory.candidate = nil
    // The position is outside every zone. A zone always contains its whole cell. The cell of this position therefore
    // has no zone yet.
    let cell = grid.cell(of: coordinate)
    memory.zones.append(DwellZone(cell: cell, node: node))
    if memory.zones.count > DwellZone.limit { memory.zones.removeFirst() }
  }
}

extension Cloak: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Cloak(\(memory))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The only location data that an app with reduced accuracy receives. Only a cloak can create it.
package struct ReducedFix: Hashable, Sendable {
  /// The last quarter hour of UTC before the disclosure. The fix does not contain the start of the slot, because that
  /// time would reveal the secret phase.
  package let time: UTCTime
  /// The latitude of a node of the public lattice, in degrees.
  package let latitude: Double
  /// The longitude of a node of the public lattice, in degrees; -180..<180.
  package let longitude: Double
  /// The radius in metres of a circle around this position. When the cloak gives its first answer at a place, this
  /// circle contains the true position with a probability of 95 %. The radius is 2500 with the lattice of 2 km, and
  /// 10,000 with the lattice of 8 km for travellers.
  package let horizontalAccuracy: Double

  fileprivate init(node: Node, utc: UTCTime) {
    let (hour, minute) = (utc.timeOfDay.hour, utc.timeOfDay.minute / 15 * 15)
    time = UTCTime(date: utc.date, timeOfDay: TimeOfDay(hour: hour, minute: minute, second: 0)!)
    latitude = node.coordinate.latitude
    longitude = node.coordinate.longitude
    horizontalAccuracy = node.lattice.horizontalAccuracy
  }
}
