/// A detector of the sentence that ends a receiver's epochs.
///
/// If a sentence was the last in several consecutive epochs, the detector trusts that it also ends the next epoch. If a
/// further sentence of the same epoch follows a trusted sentence, the required number of epochs doubles.
struct EpochEnding: Sendable {
  private struct Candidate {
    var signature: UInt64 = 0
    /// The number of epochs in a row that ended with the sentence. Epochs that do not contain the sentence are not
    /// counted, and do not end the row.
    var streak = 0
    var required = 2
  }

  private var candidates = InlineArray<8, Candidate>(repeating: Candidate())
  private var count = 0
  /// The index of the last recorded sentence in `candidates`; -1 if it is not a candidate.
  private var last = -1

  /// Records a sentence of the open epoch. Returns whether the detector trusts it to end the epoch.
  @inline(__always)
  mutating func record(_ signature: UInt64) -> Bool {
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

  mutating func endedTooEarly() {
    guard last >= 0 else { return }
    candidates[last].streak = 0
    candidates[last].required = min(candidates[last].required * 2, 1024)
    last = -1
  }

  /// Records the last sentence of an epoch. The signature 0 stands for a sentence that cannot end an epoch.
  mutating func ended(with signature: UInt64) {
    defer { last = -1 }
    guard signature != 0 else { return }
    if last < 0 || candidates[last].signature != signature {
      last = index(of: signature)
    }
    candidates[last].streak += 1
    if candidates[last].streak % 64 == 0 {
      candidates[last].required = max(2, candidates[last].required / 2)
    }
  }

  /// Whether the detector trusts a sentence, so that the decoder can wait for it.
  var isKnown: Bool {
    for index in 0..<count where candidates[index].streak >= candidates[index].required { return true }
    return false
  }

  private mutating func index(of signature: UInt64) -> Int {
    for index in 0..<count where candidates[index].signature == signature { return index }
    var slot = count
    if count < 8 {
      count += 1
    } else {
      slot = 0
      for index in 1..<8 where candidates[index].streak < candidates[slot].streak { slot = index }
    }
    candidates[slot] = Candidate(signature: signature)
    return slot
  }
}
