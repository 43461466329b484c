package import Clocks
package import GNSS

/// The state of reduced accuracy: the answers stay approximate for any number of requests, apps and days.
///
/// Each position belongs to the node of a public 2 km lattice whose *secret site* is nearest. The cloak discloses only
/// that node (`SecretPartition`). The cloak evaluates the position once in each 15 minute slot; the phase of the slots
/// is secret (`SlotSchedule`). When the device stays at a place, a zone of 2.5 km radius fixes the node (`DwellZone`),
/// so that errands do not reveal a home. Every app gets the same answer: a device has one cloak, one key and one
/// memory.
///
/// The cloak guarantees a mean and median error of 1.3 km for an attacker who knows everything except the key, if the
/// device stays at a place or returns to it. Further answers are identical, so the error is the same after one answer
/// and after ten thousand. 1.3 km is also the mean distance between the answer and the true position. 95 % of the
/// answers are within 2.5 km; for a device that moves about within its zones, 90 %.
///
/// The cloak does not guarantee:
///
/// - a minimum error in each case: one guess in twelve is within 500 m;
/// - much protection if the attacker knows the road: the error for a car is then about 440 m;
/// - much protection if the attacker averages months of answers from errands that surround a home evenly and lead out
///   of its zone: the error for the home is then less than 400 m. The same holds for any answers that follow the true
///   position.
package struct Cloak: Sendable {
  /// The state to keep. The caller seals and saves it after each change, before it hands out the answer.
  package private(set) var memory: Memory

  private let partition: SecretPartition
  private let grid: DwellGrid
  private var schedule: SlotSchedule
  private let coarsensTravel: Bool
  /// The current slot if the position was not evaluated in it yet; nil after an evaluation.
  private var openSlot: Int64?
  /// The instant of the last evaluation in this run.
  private var evaluated: MonotonicInstant?
  /// The node that answers standing requests. It changes only at slot boundaries, independently of the receiver.
  private var nodeInForce: Node?

  /// The longest delay after a slot boundary that still counts as the boundary.
  private static let boundaryTolerance: Duration = .seconds(5)
  /// The time for which a node is valid after its evaluation.
  package static let validity: Duration = .seconds(86_400)

  /// Creates a cloak from its key and its saved memory.
  ///
  /// - Parameters:
  ///   - key: The secret of this device.
  ///   - memory: The saved memory; an empty one for a new device.
  ///   - coarsensTravel: Whether answers above 5 m/s come from a lattice of 8 km with an accuracy of 10 km, until the
  ///     speed was lower in two slots. It protects travellers on a known road, but it reveals that the device travels.
  package init(key: CloakKey, memory: Memory, coarsensTravel: Bool = false) {
    self.memory = memory
    self.coarsensTravel = coarsensTravel
    nodeInForce = memory.node
    partition = SecretPartition(key: key)
    grid = DwellGrid(key: key)
    schedule = SlotSchedule(key: key)
  }

  /// Returns the reduced fix to disclose now: from a new evaluation if a new slot has begun, otherwise the stored
  /// answer.
  ///
  /// - Parameters:
  ///   - coordinate: The position of the device; used only in a new slot.
  ///   - speed: The speed over ground in metres per second; used only if the cloak coarsens travel.
  ///   - instant: The monotonic time of the disclosure. Only this time starts slots while the daemon runs.
  ///   - utc: The date and time of the disclosure. It aligns slots across restarts, and the fix shows its quarter hour.
  package mutating func reduce(
    _ coordinate: Coordinate, speed: Double? = nil, at instant: MonotonicInstant, utc: UTCTime
  ) -> ReducedFix {
    advance(to: instant, utc: utc, coordinate, speed: speed)
    if let node = memory.node, openSlot == nil { return ReducedFix(node: node, utc: utc) }
    return ReducedFix(node: evaluateSlot(at: coordinate, speed: speed, instant), utc: utc)
  }

  /// The end of the current slot; nil before the first call of `advance` or `reduce` in this run.
  package var slotEnd: MonotonicInstant? { schedule.end }

  /// Starts a new slot if it is due: evaluates the position, if it is known, and puts the latest node in force.
  ///
  /// - Parameters:
  ///   - instant: The present.
  ///   - utc: The date and time; it aligns the first slot of a run with the slots of the previous run.
  ///   - coordinate: The position of the device; nil if the receiver has no fix.
  ///   - speed: The speed over ground in metres per second; used only if the cloak coarsens travel.
  /// - Returns: Whether the call passed a slot boundary.
  @discardableResult
  package mutating func advance(
    to instant: MonotonicInstant, utc: UTCTime, _ coordinate: Coordinate?, speed: Double? = nil
  ) -> Bool {
    // The start of the daemon is not a slot boundary, and neither is the middle of a slot whose start was missed.
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

  /// Returns the node in force as a fix, for standing requests; nil if no node is in force, or if it is no longer
  /// valid.
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
  /// The number of consecutive slower slots that end a journey: one slow slot may be a red light.
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

  /// Returns the zone that contains a position and marks it as the most recently used. If several zones contain the
  /// position, the zone with the nearest centre counts.
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

  /// Creates a zone if this slot and the previous one found the device at the same place, outside every zone.
  private mutating func detectStay(at coordinate: Coordinate, reporting node: Node) {
    guard let candidate = memory.candidate,
      Direction(candidate).distance(to: Direction(coordinate)) < DwellZone.stayDistance
    else {
      memory.candidate = coordinate
      return
    }
    memory.candidate = nil
    // The cell has no zone yet: the centre of such a zone would be nearer than its radius to every position in the
    // cell.
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

/// The only data that an app with reduced accuracy receives. Only a cloak can create one.
package struct ReducedFix: Hashable, Sendable {
  /// The quarter hour of UTC at or before the disclosure. The quarter hours are public; the start of the slot would
  /// reveal the secret phase.
  package let time: UTCTime
  /// The latitude of a node of the public lattice, in degrees.
  package let latitude: Double
  /// The longitude of a node of the public lattice, in degrees; -180..<180.
  package let longitude: Double
  /// The radius in metres within which 95 % of first answers lie: 2500, or 10,000 for a traveller if the owner chose
  /// the coarse lattice.
  package let horizontalAccuracy: Double

  fileprivate init(node: Node, utc: UTCTime) {
    let (hour, minute) = (utc.timeOfDay.hour, utc.timeOfDay.minute / 15 * 15)
    time = UTCTime(date: utc.date, timeOfDay: TimeOfDay(hour: hour, minute: minute, second: 0)!)
    latitude = node.coordinate.latitude
    longitude = node.coordinate.longitude
    horizontalAccuracy = node.lattice.horizontalAccuracy
  }
}
