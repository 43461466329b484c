/// The horizontal error of a fix: the radii in metres of the circles that contain the true position with a probability
/// of 68 % and of 95 %. The errors have a normal distribution in two dimensions.
struct HorizontalError {
  let radius68: Double
  let radius95: Double

  /// The ratio of the 95 % radius to the 68 % radius: √(ln 0.05 / ln 0.32).
  private static let ratio = 1.6215

  /// Reads the radius from the JSON object of a fix; nil if the fix has no radius. The radius of a fix with reduced
  /// accuracy is the 95 % radius, and of any other fix the 68 % radius.
  init?(of fix: JSONValue) {
    guard let radius = fix["hacc"]?.number else { return nil }
    let isReduced = fix["accuracy"]?.string == FixAccuracy.reduced.rawValue
    radius68 = isReduced ? radius / Self.ratio : radius
    radius95 = isReduced ? radius : radius * Self.ratio
  }
}
