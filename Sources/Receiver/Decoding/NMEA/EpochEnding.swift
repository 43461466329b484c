/// A detector of the last NMEA sentence of an epoch (all data of one instant). With the detector, the decoder need not
/// wait for a pause to complete the epoch.
///
/// The detector trusts a sentence that was the last one in several consecutive epochs. If another sentence of the same
/// epoch then follows the trusted sentence, the required count of epochs doubles.
struct EpochEnding: Sendable {
  private struct Candidate {
    var signature: UInt64 = 0
    /// How many epochs in a row ended with the NMEA sentence. (An epoch is all data of one instant.) An epoch without
    /// the sentence is not counted, and does not reset the count.
    var streak = 0
    var required = 2
  }

  private var candidates = InlineArray<8, Candidate>(repeating: Candidate())
  private var count = 0
  /// The index in `candidates` of the latest NMEA sentence; -1 if this sentence is not a candidate for the last
  /// sentence of an instant.
  private var last = -1

  /// Records an NMEA sentence. Returns whether the sentence is trusted to be the last one of its instant.
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

  /// Records which NMEA sentence was the last one of an instant. The signature 0 means a sentence that cannot be the
  /// last one.
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

  /// Whether the detector trusts at least one NMEA sentence to be the last one of an instant.
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
