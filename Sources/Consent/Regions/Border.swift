import LineProtocol

/// A side of a region's border.
package enum Side: UInt8, Hashable, Sendable, CaseIterable {
  case inside = 1
  case outside = 2
}

/// The relation of one fix to a border.
///
/// A fix is a circle that contains the true position with 68 % probability. The fix confirms a side only if the whole
/// circle is on that side; so a fix never confirms the wrong side if its error is within its stated accuracy. The fix
/// contradicts a change as soon as its centre is not on the new side. A fix whose circle is larger than the region is
/// too uncertain to contradict a side.
enum BorderEvidence: Hashable, Sendable {
  case inside
  case outside
  /// The centre of the fix is inside, but a part of its circle is not.
  case probablyInside
  /// The centre of the fix is beyond the border of exits, but a part of its circle is not.
  case probablyOutside
  /// The centre of the fix is between the border of entries and the border of exits.
  case between
  /// The fix is too uncertain.
  case inconclusive

  /// Compares a fix with a border.
  ///
  /// - Parameters:
  ///   - distance: The distance from the region's centre to the fix, in metres.
  ///   - accuracy: The radius of the fix's circle, in metres.
  ///   - border: The border of the region.
  init(distance: Double, accuracy: Double, of border: Border) {
    guard distance.isFinite, accuracy.isFinite, accuracy >= 0 else {
      self = .inconclusive
      return
    }
    if distance + accuracy <= border.entry {
      self = .inside
    } else if distance - accuracy > border.exit {
      self = .outside
    } else if accuracy > border.entry {
      self = .inconclusive
    } else if distance <= border.entry {
      self = .probablyInside
    } else if distance > border.exit {
      self = .probablyOutside
    } else {
      self = .between
    }
  }

  /// Whether the fix confirms that the device is on a side.
  func confirms(_ side: Side) -> Bool {
    switch (self, side) {
    case (.inside, .inside), (.outside, .outside): true
    case (.inside, .outside), (.outside, .inside), (.probablyInside, _), (.probablyOutside, _), (.between, _),
      (.inconclusive, _):
      false
    }
  }

  /// Whether the fix shows that the device is probably not on a side.
  func contradicts(_ side: Side) -> Bool {
    switch (self, side) {
    case (.outside, .inside), (.probablyOutside, .inside), (.between, .inside), (.inside, .outside),
      (.probablyInside, .outside), (.between, .outside):
      true
    case (.inside, .inside), (.probablyInside, .inside), (.outside, .outside), (.probablyOutside, .outside),
      (.inconclusive, _):
      false
    }
  }
}

/// The distances at which a device enters and leaves a region. The exit is farther out than the entry, so that noise
/// near the border causes no crossing.
struct Border: Hashable, Sendable {
  /// The distance of entries from the centre, in metres.
  let entry: Double
  /// The distance of exits from the centre, in metres.
  let exit: Double

  /// Creates the border that applies to a device on a side.
  ///
  /// - Parameters:
  ///   - region: The region.
  ///   - side: The last known side of the device; nil if it is unknown. Entry and exit are then equal, so that the
  ///     first fix on either side sets the side.
  init(of region: Region, from side: Side?) {
    entry = region.radius
    exit = side == nil ? region.radius : region.radius + max(region.radius / 10, 20)
  }
}
