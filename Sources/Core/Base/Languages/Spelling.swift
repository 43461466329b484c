package enum Spelling {
  /// Returns the element of `names` with the spelling most similar to `name`; nil if no element is similar.
  package static func nearest(to name: String, among names: [String]) -> String? {
    let written = Array(name.unicodeScalars.prefix(64))
    let distances = names.map { (name: $0, distance: distance(written, Array($0.unicodeScalars))) }
    guard let best = distances.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }),
      best.distance <= max(1, min(best.name.unicodeScalars.count, written.count) / 3)
    else { return nil }
    return best.name
  }

  /// Returns the optimal string alignment distance: the smallest count of edits between two words. An edit adds,
  /// deletes or changes a letter, or swaps two neighbouring letters.
  private static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var previous: [Int] = []
    var current = Array(0...b.count)
    for i in a.indices {
      var next = [i + 1]
      for j in b.indices {
        var best = min(current[j + 1] + 1, next[j] + 1, current[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, previous[j - 1] + 1) }
        next.append(best)
      }
      previous = current
      current = next
    }
    return current[b.count]
  }
}
