import LineProtocol

/// The side of a region's border on which the device is.
package enum Side: UInt8, Hashable, Sendable, CaseIterable {
  case inside = 1
  case outside = 2
}

/// The relation of one fix to a border.
///
/// A fix is a circle that contains the true position with 68 % probability. The fix confirms a side only if the whole
/// circle is on that side. A fix whose error is within its stated accuracy therefore never confirms the wrong side. The
/// fix contradicts a side if the centre of its circle is not on that side. A fix whose circle is larger than the region
/// is too uncertain to contradict a side.
enum BorderEvidence: Hashable, Sendable {
  case inside
  case outside
  /// The centre of the fix is inside the region, but a part of the circle of the fix is outside.
  case probablyInside
  /// The centre of the fix is farther from the region's centre than the distance at which the device leaves the region.
  /// A part of the circle of the fix is nearer than this distance.
  case probablyOutside
  /// The centre of the fix is between the distance at which the device enters the region and the distance at which it
  /// leaves the region.
  case between
  /// The fix is too uncertain to confirm or contradict a side.
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

/// The distances from the centre of a region at which a device enters and leaves the region. The device leaves at a
/// larger distance than it enters, so that noise near the border causes no crossing.
struct Border: Hashable, Sendable {
  /// The distance from the centre at which the device enters the region, in metres.
  let entry: Double
  /// The distance from the centre at which the device leaves the region, in metres.
  let exit: Double

  /// Creates the border of a region for a device whose last known side is given.
  ///
  /// - Parameters:
  ///   - region: The region.
  ///   - side: The last known side of the device; nil if the side is unknown. Without a known side both distances are
  ///     equal, so that every precise fix is on one side.
  init(of region: Region, from side: Side?) {
    entry = region.radius
    exit = side == nil ? region.radius : region.radius + max(region.radius / 10, 20)
  }
}
