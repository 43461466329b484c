import LineProtocol

/// On which side of a region's border a device is.
package enum Side: UInt8, Hashable, Sendable, CaseIterable {
  case inside = 1
  case outside = 2
}

/// What one fix tells of a border.
///
/// A fix is the circle that holds the true position with 68 % probability. It speaks for a side only with its whole
/// circle, so that a fix that errs by no more than it says never speaks for the wrong one; and it speaks against a
/// change as soon as its own point does not confirm it. A fix whose circle is larger than the region is too uncertain to
/// speak against anything.
enum Reading: Hashable, Sendable {
  case inside
  case outside
  /// Its point lies inside, and its circle does not.
  case ratherInside
  /// Its point lies beyond the border of exits, and its circle does not.
  case ratherOutside
  /// Its point lies where neither an entry nor an exit is made.
  case between
  /// It is too uncertain to tell.
  case nothing

  /// - Parameters:
  ///   - distance: metres from the region's centre to the fix.
  ///   - accuracy: metres, the radius of the fix's circle.
  init(distance: Double, accuracy: Double, of border: Border) {
    guard distance.isFinite, accuracy.isFinite, accuracy >= 0 else {
      self = .nothing
      return
    }
    if distance + accuracy <= border.entry {
      self = .inside
    } else if distance - accuracy > border.exit {
      self = .outside
    } else if accuracy > border.entry {
      self = .nothing
    } else if distance <= border.entry {
      self = .ratherInside
    } else if distance > border.exit {
      self = .ratherOutside
    } else {
      self = .between
    }
  }

  /// Whether it confirms that the device is on a side.
  func speaks(for side: Side) -> Bool {
    switch (self, side) {
    case (.inside, .inside), (.outside, .outside): true
    case (.inside, .outside), (.outside, .inside), (.ratherInside, _), (.ratherOutside, _), (.between, _),
      (.nothing, _):
      false
    }
  }

  func speaks(against side: Side) -> Bool {
    switch (self, side) {
    case (.outside, .inside), (.ratherOutside, .inside), (.between, .inside), (.inside, .outside),
      (.ratherInside, .outside), (.between, .outside):
      true
    case (.inside, .inside), (.ratherInside, .inside), (.outside, .outside), (.ratherOutside, .outside), (.nothing, _):
      false
    }
  }
}

/// Where a region is entered and where it is left: the exit lies beyond, so that noise on the border is no crossing.
struct Border: Hashable, Sendable {
  /// Metres from the centre.
  let entry: Double
  /// Metres from the centre.
  let exit: Double

  /// - Parameter side: where the device was last; nil while that is not known, and then the first fix inside or outside
  ///   of the circle tells.
  init(of region: Region, from side: Side?) {
    entry = region.radius
    exit = side == nil ? region.radius : region.radius + max(region.radius / 10, 20)
  }
}
