/// Learns which sentence ends a receiver's epochs.
///
/// A sentence that was the last of several epochs in a row is trusted to be the last of the next. Where something comes
/// behind it after all, it must prove itself for twice as long.
struct EpochEnding: Sendable {
  private struct Candidate {
    var signature: UInt64 = 0
    /// Epochs in a row, of those that it occurs in, that it was the last of.
    var streak = 0
    var required = 2
  }

  private var candidates = InlineArray<8, Candidate>(repeating: Candidate())
  private var count = 0
  /// The candidate that was the last sentence so far, -1 where it is none.
  private var last = -1

  /// A sentence of the open epoch. Whether it is trusted to end it.
  @inline(__always)
  mutating func saw(_ signature: UInt64) -> Bool {
    if last >= 0 {
      candidates[last].streak = 0
      last = -1
    }
    for index in 0..<count where candidates[index].signature == signature {
      last = index
      return candidates[index].streak >= candidates[index].required
    }
    return false
  }

  /// Something came behind the sentence that was trusted.
  mutating func endedTooEarly() {
    guard last >= 0 else { return }
    candidates[last].streak = 0
    candidates[last].required = min(candidates[last].required * 2, 1024)
    last = -1
  }

  /// Nothing came behind that sentence. 0 is none that could end every epoch.
  mutating func ended(with signature: UInt64) {
    defer { last = -1 }
    guard signature != 0 else { return }
    if last < 0 || candidates[last].signature != signature {
      last = place(of: signature)
    }
    candidates[last].streak += 1
    if candidates[last].streak % 64 == 0 {
      candidates[last].required = max(2, candidates[last].required / 2)
    }
  }

  /// Whether some sentence is trusted, so that it is worth to wait for it.
  var isKnown: Bool {
    for index in 0..<count where candidates[index].streak >= candidates[index].required { return true }
    return false
  }

  private mutating func place(of signature: UInt64) -> Int {
    for index in 0..<count where candidates[index].signature == signature { return index }
    var place = count
    if count < 8 {
      count += 1
    } else {
      place = 0
      for index in 1..<8 where candidates[index].streak < candidates[place].streak { place = index }
    }
    candidates[place] = Candidate(signature: signature)
    return place
  }
}
