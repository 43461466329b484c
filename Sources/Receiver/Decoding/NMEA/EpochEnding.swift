/// A type that learns which NMEA sentence is the last one of an epoch (all data of one instant). After this sentence,
/// the decoder need not wait for a pause.
///
/// The type trusts a sentence that was the last one in several consecutive epochs. If another sentence of the same
/// epoch then follows, the required count of epochs doubles.
struct EpochEnding: Sendable {
  private struct Candidate {
    var signature: UInt64 = 0
    /// The count of successive epochs (data sets of one instant) that ended with this NMEA sentence. An epoch without
    /// the sentence does not change the count.
    var streak = 0
    var required = 2
  }

  private var candidates = InlineArray<8, Candidate>(repeating: Candidate())
  private var count = 0
  /// The index in `candidates` of the latest NMEA sentence; -1 if the sentence is not in `candidates`.
  private var last = -1

  /// Records an NMEA sentence, and returns whether this sentence usually is the last one of an epoch (all data of one
  /// instant). The signature identifies the sentence.
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

  /// Records which NMEA sentence was the last one of an epoch (all data of one instant). The signature identifies the
  /// sentence; 0 means a sentence that cannot be the last one.
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

  /// Whether the type has learned which NMEA sentence usually is the last one of an epoch (all data of one instant).
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
