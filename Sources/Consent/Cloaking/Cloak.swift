package import Base
package import GNSS

/// An algorithm that turns precise positions into approximate positions, for apps with reduced accuracy. The answers
/// stay approximate even if an attacker combines the answers to many requests, apps and days.
///
/// The earth has a public lattice of points (*nodes*), 2 km apart. Each node has a *secret site* near the node. A
/// secret offset moves the position (`SharedOffset`), and only the node with the nearest site is disclosed
/// (`SecretPartition`).
///
/// The node is chosen once in each *slot*, a period of 15 minutes or more that begins at a secret time
/// (`SlotSchedule`). While the device stays at a position, the node is the same within 2.5 km (`DwellZone`), so that
/// errands do not reveal a home. All apps get the same answer.
///
/// Even with all knowledge except the key, an attacker estimates a position at which the device stays with a mean error
/// of 1.4 km. Further answers are identical and do not reduce the error. 95 % of the answers are within 2.75 km of the
/// true position. The reference page "Approximate location" has more figures and the limits.
package struct Cloak: Sendable {
  /// The state that must survive a restart of the daemon. After each change, the caller must encrypt and save this
  /// state before the disclosure of the approximate position.
  package var memory: Memory {
    var memory = state
    memory.present = schedule.record
    return memory
  }

  private var state: Memory
  private let partition: SecretPartition
  private let grid: DwellGrid
  private var schedule: SlotSchedule
  private let coarsensTravel: Bool
  /// The instant of the latest computation of an approximate position; nil before the first computation in this run of
  /// the daemon.
  private var evaluated: MonotonicInstant?
  /// Whether the answer from before a reboot or a suspension still matched the position at the first press of the
  /// button; nil before this press.
  private var agrees: Bool?

  package static let validity: Duration = .seconds(86_400)

  /// Creates the algorithm from its secret key and its saved memory.
  ///
  /// - Parameters:
  ///   - memory: The saved memory; an empty memory for a new device.
  ///   - boot: The identifier of the present boot of the machine. If the identifier is empty, each restart of the
  ///     daemon counts as a reboot.
  ///   - coarsensTravel: Whether to use a lattice of 8 km, with an accuracy of 10 km, while the device moves faster
  ///     than 5 m/s. The coarse lattice protects a traveller on a known road, but reveals the travel.
  package init(key: CloakKey, memory: Memory, boot: String, coarsensTravel: Bool = false) {
    state = memory
    self.coarsensTravel = coarsensTravel
    // A restart of the daemon changes nothing. After a restart of the machine, the latest answer is in force at once.
    if boot.isEmpty || memory.present.boot != boot { state.inForce = memory.node }
    partition = SecretPartition(key: key, mechanism: memory.mechanism)
    grid = DwellGrid(key: key)
    let phase = Int64(key.draw(.slotPhase).0 * Double(Slot.length))
    schedule = SlotSchedule(phase: phase, resuming: memory.present, boot: boot)
  }

  /// Returns the approximate fix for a press of the button. The first answer in a slot (a period with one answer) is
  /// computed from the position. Returns nil if the present answer is from before a reboot or a suspension, and no
  /// longer matches the position.
  ///
  /// - Parameters:
  ///   - coordinate: The position of the device, used only for a new answer, or to check an answer from before a
  ///     reboot or a suspension.
  ///   - speed: The speed over ground in metres per second, used only if `coarsensTravel` is true.
  ///   - instant: The monotonic time of the disclosure. Only this time ends slots.
  ///   - utc: The date and time of the disclosure. This time aligns the slots, and gives the quarter hour in the fix.
  package mutating func reduce(
    _ coordinate: Coordinate, speed: Double? = nil, at instant: MonotonicInstant, utc: UTCTime
  ) -> ReducedFix? {
    advance(to: instant, utc: utc, coordinate, speed: speed)
    guard schedule.isAnswered, let node = state.node else {
      return ReducedFix(node: evaluateSlot(at: coordinate, speed: speed, instant, utc), utc: utc)
    }
    if schedule.isFormer {
      var other = self
      let isSame = agrees ?? (other.evaluate(coordinate, speed: speed) == node)
      agrees = isSame
      guard isSame else { return nil }
    }
    return ReducedFix(node: node, utc: utc)
  }

  /// The end of the current slot (a period with one answer); nil before the first call of `advance` or `reduce`.
  package var slotEnd: MonotonicInstant? { schedule.end }

  /// Whether the current slot (a period with one answer) already has an approximate position.
  package var isEvaluated: Bool { schedule.isAnswered }

  /// Begins a new slot (a period with one answer) if the current slot has ended. If the slot begins on time and the
  /// position is known, the answer for apps that need no press of the button is computed now.
  ///
  /// - Parameters:
  ///   - utc: The date and time, with which the beginnings of slots are aligned.
  ///   - coordinate: The position of the device; nil if the receiver has no fix.
  ///   - speed: The speed over ground in metres per second, used only if `coarsensTravel` is true.
  /// - Returns: Whether a slot began at most 5 s after the end of the previous slot.
  @discardableResult
  package mutating func advance(
    to instant: MonotonicInstant, utc: UTCTime, _ coordinate: Coordinate?, speed: Double? = nil
  ) -> Bool {
    guard let change = schedule.advance(to: instant, utc: utc) else { return false }
    let isBoundary = change == .began(isBoundary: true)
    if isBoundary, let coordinate { evaluateSlot(at: coordinate, speed: speed, instant, utc) }
    if change != .resumed { (agrees, state.inForce) = (nil, state.node) }
    endValidity(at: instant, utc: utc)
    return isBoundary
  }

  /// Records that the machine was suspended. The present answer may be old: the first press of the button checks it,
  /// and its age is known only from the date.
  package mutating func noteSuspension(at instant: MonotonicInstant, utc: UTCTime) {
    // A press that has found the answer false decides for the rest of the slot.
    if agrees != false { agrees = nil }
    evaluated = nil
    schedule.noteSuspension()
    endValidity(at: instant, utc: utc)
  }

  /// Removes the answer for apps that need no press of the button if it is too old.
  private mutating func endValidity(at instant: MonotonicInstant, utc: UTCTime) {
    let isValid =
      if let evaluated {
        instant - evaluated <= Self.validity
      } else {
        // An earlier run evaluated the node, or the machine was suspended. The age is known only from the date.
        schedule.number(of: utc) - state.slot <= Self.validity.clampedNanoseconds / Slot.length
      }
    if !isValid { state.inForce = nil }
  }

  /// Returns the approximate fix for apps that need no press of the button; nil if the latest answer is missing or too
  /// old.
  package func fixInForce(utc: UTCTime) -> ReducedFix? { state.inForce.map { ReducedFix(node: $0, utc: utc) } }

  /// Whether there is an answer, of this run or of an earlier run of the daemon.
  package var hasAnswer: Bool { state.node != nil }

  @discardableResult
  private mutating func evaluateSlot(
    at coordinate: Coordinate, speed: Double?, _ instant: MonotonicInstant, _ utc: UTCTime
  ) -> Node {
    let node = evaluate(coordinate, speed: speed)
    state.node = node
    state.slot = schedule.number(of: utc)
    evaluated = instant
    schedule.noteAnswer(at: instant)
    return node
  }
}

extension Cloak {
  /// The speed above which the device counts as travelling, in metres per second.
  static let travellingSpeed = 5.0
  /// The count of consecutive slots (of about 15 minutes) at low speed after which a journey ends. One slot is not
  /// enough, because the device may wait at a red light.
  static let slotsToSlowDown = 2

  private mutating func evaluate(_ coordinate: Coordinate, speed: Double?) -> Node {
    if let zone = activateZone(containing: coordinate) {
      state.candidate = nil
      return zone.node
    }
    let lattice = lattice(atSpeed: speed)
    let node = partition.node(of: coordinate, in: lattice, current: state.node)
    if lattice == .near {
      detectStay(at: coordinate, reporting: node)
    } else {
      state.candidate = nil
    }
    return node
  }

  private mutating func lattice(atSpeed speed: Double?) -> Lattice {
    let slowSlots = state.slowSlots + 1
    state.slowSlots = 0
    guard coarsensTravel else { return .near }
    if let speed, speed > Self.travellingSpeed { return .far }
    guard state.node?.lattice == .far, slowSlots < Self.slotsToSlowDown else { return .near }
    state.slowSlots = slowSlots
    return .far
  }

  /// Returns the zone (a circle with one constant answer) that contains a position; nil if there is none. If several
  /// zones contain the position, the zone with the nearest centre is returned. The zone becomes the most recently used.
  private mutating func activateZone(containing coordinate: Coordinate) -> DwellZone? {
    let direction = Direction(coordinate)
    var nearest: (index: Int, distance: Double)?
    for (index, zone) in state.zones.enumerated() {
      let distance = direction.distance(to: Direction(grid.centre(of: zone.cell)))
      if distance < min(DwellZone.radius, nearest?.distance ?? .infinity) { nearest = (index, distance) }
    }
    guard let nearest else { return nil }
    let zone = state.zones.remove(at: nearest.index)
    state.zones.append(zone)
    return zone
  }

  /// Creates a zone (a circle with one constant answer) if the device is still at the position of the previous slot,
  /// about 15 minutes ago. The position must be outside all zones.
  private mutating func detectStay(at coordinate: Coordinate, reporting node: Node) {
    guard let candidate = state.candidate,
      Direction(candidate).distance(to: Direction(coordinate)) < DwellZone.stayDistance
    else {
      state.candidate = coordinate
      return
    }
    state.candidate = nil
    // The position is outside every zone. A zone contains its whole cell, so this cell has no zone yet.
    let cell = grid.cell(of: coordinate)
    state.zones.append(DwellZone(cell: cell, node: node))
    if state.zones.count > DwellZone.limit { state.zones.removeFirst() }
  }
}

extension Cloak: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "Cloak(\(state))" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The approximate fix for an app with reduced accuracy. Only a `Cloak` can create a value of this type.
package struct ReducedFix: Hashable, Sendable {
  /// The start of the quarter hour of UTC that contains the disclosure. A more precise time could reveal the secret
  /// times at which the answer changes.
  package let time: UTCTime
  /// The latitude of a point of the public lattice, in degrees.
  package let latitude: Double
  /// The longitude of a point of the public lattice, in degrees; -180..<180.
  package let longitude: Double
  /// The accuracy in metres: 2750 with the lattice of 2 km, 10,000 with the lattice of 8 km. For the first answer at a
  /// position, a circle with this radius contains the true position with a probability of 95 %.
  package let horizontalAccuracy: Double

  fileprivate init(node: Node, utc: UTCTime) {
    time = utc.startOfQuarterHour
    latitude = node.coordinate.latitude
    longitude = node.coordinate.longitude
    horizontalAccuracy = node.lattice.horizontalAccuracy
  }
}
