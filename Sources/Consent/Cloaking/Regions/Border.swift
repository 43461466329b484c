package enum Side: UInt8, Hashable, Sendable, CaseIterable {
  case inside = 1
  case outside = 2
}

/// The side of a region's border on which the device is, as far as one fix shows the side.
///
/// A fix is a circle that contains the true position with 68 % probability. A fix confirms a side of the border if the
/// whole circle is on this side, and contradicts a side if the centre is not on this side. If the circle is larger than
/// the region, and is not completely outside, the fix contradicts neither side.
enum BorderEvidence: Hashable, Sendable {
  case inside
  case outside
  /// The centre of the circle of error is inside the region, but a part of the circle is outside.
  case probablyInside
  /// The centre of the circle of error is outside the region, beyond the exit distance. A part of the circle is within
  /// this distance.
  case probablyOutside
  /// The centre of the circle of error is between the entry distance and the exit distance of the border.
  case between
  /// The circle of error is too large to show on which side of the border the device is.
  case inconclusive

  /// Compares a fix with a border.
  ///
  /// - Parameters:
  ///   - distance: The distance of the fix from the centre of the region, in metres.
  ///   - accuracy: The radius in metres of the circle that contains the true position with 68 % probability.
  init(distance: Double, accuracy: Double, of border: Border) {
    // An infinite accuracy is inconclusive below.
    guard distance.isFinite, accuracy >= 0 else {
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

  /// Whether the fix shows that the device is on the given side of the border.
  func confirms(_ side: Side) -> Bool {
    switch (self, side) {
    case (.inside, .inside), (.outside, .outside): true
    case (.inside, .outside), (.outside, .inside), (.probablyInside, _), (.probablyOutside, _), (.between, _),
      (.inconclusive, _):
      false
    }
  }

  /// Whether the fix shows that the device is probably not on the given side of the border.
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

/// The border of a circular region, as two distances from the centre in metres. The device enters at `entry` and leaves
/// at the larger distance `exit`. Because of the difference, small errors near the border cause no entry or exit.
struct Border: Hashable, Sendable {
  let entry: Double
  let exit: Double

  /// Creates the border of a circular region.
  ///
  /// - Parameters:
  ///   - radius: The radius of the circle in metres.
  ///   - side: The last known side of the device; nil if unknown. For an unknown side, `exit` equals `entry`.
  init(radius: Double, from side: Side?) {
    entry = radius
    exit = side == nil ? radius : radius + max(radius / 10, 20)
  }
}
