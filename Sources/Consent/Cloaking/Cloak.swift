package import Clocks
package import GNSS

/// Reduced accuracy: approximate however often, by however many apps, and for however long one asks.
///
/// A place belongs to the node of a public 2 km lattice whose *secret site* is nearest, and that node is all that is ever
/// said (`SecretPartition`). It is looked at once in a 15 minute slot of secret phase (`SlotSchedule`). Where the device
/// stays, a zone of 2.5 km freezes the node (`DwellZone`), so that errands do not betray a home. Every app gets the same
/// answer: one cloak, one key and one memory per device.
///
/// Promised is how far off, in the mean and in the median, the best guess of someone is who knows all but the key: 1.3 km
/// for a device that stays or comes home, from the first answer to the ten thousandth, since further answers are the same.
/// That is also the mean distance of the answer from the truth; 95 % are within 2.5 km, and of a device that roams about
/// in its zones 90 %. Not promised:
///
/// - each single case: one guess in twelve is within 500 m;
/// - much against someone who knows the road, who finds a car to about 440 m;
/// - much against someone who averages months of answers from errands that surround a home evenly and lead beyond its
///   zone: they tell the home to under 400 m, as any answers would that follow the truth.
package struct Cloak: Sendable {
  /// To be sealed and written whenever an answer changed it, before that answer is handed out.
  package private(set) var memory: Memory

  private let partition: SecretPartition
  private let grid: DwellGrid
  private var schedule: SlotSchedule
  private let coarsensTravel: Bool
  /// The slot that has begun and in which the position was not evaluated; nil after an evaluation.
  private var openSlot: Int64?
  /// When the node was evaluated in this run.
  private var evaluated: MonotonicInstant?
  /// The node that standing requests are answered with, whatever the receiver does. It changes at slot boundaries alone.
  private var nodeInForce: Node?

  /// How late a slot boundary may be attended to.
  private static let punctuality: Duration = .seconds(5)
  /// How long a node is valid after its evaluation.
  package static let validity: Duration = .seconds(86_400)

  /// - Parameter coarsensTravel: above 5 m/s answer from a lattice of 8 km, with an accuracy of 10 km, and until two
  ///   slots were slower. For travellers whose road is known. It tells that the device travels.
  package init(key: CloakKey, memory: Memory, coarsensTravel: Bool = false) {
    self.memory = memory
    self.coarsensTravel = coarsensTravel
    nodeInForce = memory.node
    partition = SecretPartition(key: key)
    grid = DwellGrid(key: key)
    schedule = SlotSchedule(key: key)
  }

  /// The reduced fix to disclose now: a new evaluation where a new slot has begun, else the answer in force.
  ///
  /// - Parameters:
  ///   - coordinate: where the device is; looked at only in a new slot.
  ///   - speed: metres per second over ground, used only if the cloak coarsens travel.
  ///   - instant: the monotonic time of the disclosure. It alone opens slots while the daemon runs.
  ///   - utc: the date and time of the disclosure. It aligns slots across restarts, and is shown as a quarter hour.
  package mutating func reduce(
    _ coordinate: Coordinate, speed: Double? = nil, at instant: MonotonicInstant, utc: UTCTime
  ) -> ReducedFix {
    advance(to: instant, utc: utc, coordinate, speed: speed)
    if let node = memory.node, openSlot == nil { return ReducedFix(node: node, utc: utc) }
    return ReducedFix(node: look(at: coordinate, speed: speed, instant), utc: utc)
  }

  /// When the current slot ends; nil before the first call of `advance` or `reduce` in this run.
  package var slotEnd: MonotonicInstant? { schedule.end }

  /// Begins a new slot, if its time has come: evaluates the position, if there is one, and puts the latest node in force.
  ///
  /// - Parameters:
  ///   - instant: the present.
  ///   - utc: the date and time; it aligns the first slot of a run with those of the run before.
  ///   - coordinate: where the device is; nil if the receiver has no fix.
  ///   - speed: metres per second over ground, used only if the cloak coarsens travel.
  /// - Returns: Whether a slot boundary was passed.
  @discardableResult
  package mutating func advance(
    to instant: MonotonicInstant, utc: UTCTime, _ coordinate: Coordinate?, speed: Double? = nil
  ) -> Bool {
    // The start of the daemon is no slot boundary, nor is the middle of a slot whose beginning was missed.
    let isBoundary = schedule.end.map { instant - $0 <= Self.punctuality } ?? false
    guard let slot = schedule.open(at: instant, utc: utc, last: memory.node == nil ? nil : memory.slot) else {
      return false
    }
    openSlot = slot
    if isBoundary, let coordinate { look(at: coordinate, speed: speed, instant) }
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

  /// The node in force, for standing requests; nil if there is none, or none that is valid.
  package func fixInForce(utc: UTCTime) -> ReducedFix? { nodeInForce.map { ReducedFix(node: $0, utc: utc) } }

  @discardableResult
  private mutating func look(at coordinate: Coordinate, speed: Double?, _ instant: MonotonicInstant) -> Node {
    let node = evaluate(coordinate, speed: speed)
    memory.node = node
    memory.slot = openSlot ?? memory.slot
    openSlot = nil
    evaluated = instant
    return node
  }
}

extension Cloak {
  /// Metres per second from which a device travels.
  static let travellingSpeed = 5.0
  /// Slots in a row below it that end the travel: one may be a red light.
  static let slotsToSlowDown = 2

  private mutating func evaluate(_ coordinate: Coordinate, speed: Double?) -> Node {
    if let zone = useZone(around: coordinate) {
      memory.candidate = nil
      memory.slowSlots = 0
      return zone.node
    }
    let lattice = lattice(atSpeed: speed)
    let node = partition.node(of: coordinate, in: lattice, current: memory.node)
    if lattice == .near {
      noticeStay(at: coordinate, reporting: node)
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

  /// The zone that a place lies in (of several the one with the nearest centre), now the most recently used.
  private mutating func useZone(around coordinate: Coordinate) -> DwellZone? {
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

  /// Makes a zone when this slot and the last, both outside every zone, found the device at one place.
  private mutating func noticeStay(at coordinate: Coordinate, reporting node: Node) {
    guard let candidate = memory.candidate,
      Direction(candidate).distance(to: Direction(coordinate)) < DwellZone.stay
    else {
      memory.candidate = coordinate
      return
    }
    memory.candidate = nil
    // Never a cell that has a zone: its centre is nearer than the radius to every place in it.
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

/// All that an app with reduced accuracy is told. Only a cloak can make one.
package struct ReducedFix: Hashable, Sendable {
  /// The quarter hour of UTC at or before the disclosure: a public grid, since the slot's own start would tell its phase.
  package let time: UTCTime
  /// Degrees, of a node of the public lattice.
  package let latitude: Double
  /// Degrees, of a node of the public lattice; -180..<180.
  package let longitude: Double
  /// Metres: 2500, and 10,000 for a traveller where the owner chose the coarse lattice. 95 % of first answers are nearer.
  package let horizontalAccuracy: Double

  fileprivate init(node: Node, utc: UTCTime) {
    let (hour, minute) = (utc.timeOfDay.hour, utc.timeOfDay.minute / 15 * 15)
    time = UTCTime(date: utc.date, timeOfDay: TimeOfDay(hour: hour, minute: minute, second: 0)!)
    latitude = node.coordinate.latitude
    longitude = node.coordinate.longitude
    horizontalAccuracy = node.lattice.horizontalAccuracy
  }
}
