import Base

/// The choice of one device as the source of the positions, if several devices send NMEA sentences through one serial
/// port. For example, an instrument repeats the positions of a receiver two seconds later.
///
/// All satellite receivers count as one device, because one receiver can use several talkers. (A talker is the two
/// letters for the sender at the start of a sentence.) Another device replaces the chosen device after `patience`
/// without a fix, or if the other device is better `proof` times in a row. A receiver is better than an instrument, and
/// an earlier report is better than a later report.
struct PositionSource: Sendable {
  /// The time in nanoseconds without a fix from the chosen device, after which the decoder chooses another device.
  private static let patience: Int64 = 3_000_000_000
  private static let proof = 5
  /// The minimum difference in nanoseconds between the times of two devices, so that one device is late.
  private static let lateness: Int64 = 1_000_000_000

  /// The code of the device whose positions the decoder uses: its two talker letters as a number. The code is 0 before
  /// the first fix, and 1 for any satellite receiver.
  private var chosen: UInt16 = 0
  private var lastTime: Int64 = -1
  private var lastArrival = MonotonicInstant(nanoseconds: 0)
  private var rival: UInt16 = 0
  private var rivalTime: Int64 = -1
  private var rivalTimes = 0

  /// Returns whether an NMEA sentence comes from the device whose positions the decoder uses. The decoder may choose
  /// another device because of the sentence.
  mutating func isChosen(_ sentence: inout Sentence, at instant: MonotonicInstant) -> Bool {
    let device = sentence.talker.device
    guard chosen == device || chosen == 0 else { return replaces(&sentence, device, at: instant) }
    if sentence.coordinate != nil {
      chosen = device
      lastTime = sentence.time
      lastArrival = instant
    }
    return true
  }

  private mutating func replaces(_ sentence: inout Sentence, _ device: UInt16, at instant: MonotonicInstant) -> Bool {
    guard sentence.coordinate != nil else { return false }
    let ahead = lastTime >= 0 && sentence.time >= 0 ? dayDifference(lastTime, sentence.time) : 0
    let isGone = ahead > Self.patience || (instant - lastArrival) > .nanoseconds(Self.patience)
    if !isGone {
      guard device == Talker.satelliteDevice || ahead >= Self.lateness && chosen != Talker.satelliteDevice else {
        return false
      }
      if device != rival || abs(dayDifference(rivalTime, sentence.time)) > Self.patience {
        (rival, rivalTimes) = (device, 0)
      }
      if sentence.time != rivalTime || rivalTimes == 0 { rivalTimes += 1 }
      rivalTime = sentence.time
      guard rivalTimes >= Self.proof else { return false }
    }
    (chosen, rival, rivalTimes) = (device, 0, 0)
    (lastTime, lastArrival) = (sentence.time, instant)
    return true
  }
}

extension Talker {
  /// The device code of every satellite receiver. The code covers all talkers of constellations, and all proprietary
  /// NMEA sentences.
  fileprivate static let satelliteDevice: UInt16 = 1

  fileprivate var device: UInt16 { knownIndex != nil ? Talker.satelliteDevice : code }
}

/// Returns the time from `from` to `to` in nanoseconds, at most half a day in either direction. Both times are in
/// nanoseconds since midnight.
func dayDifference(_ from: Int64, _ to: Int64) -> Int64 {
  let day = dayLength(with: from, to)
  let difference = to &- from
  if difference > day / 2 { return difference &- day }
  return difference < 0 &- day / 2 ? difference &+ day : difference
}

/// Returns the length in nanoseconds of the day of two times, which are in nanoseconds since midnight. A day with a
/// leap second (23:59:60) has 86,401 seconds.
func dayLength(with time: Int64, _ other: Int64) -> Int64 {
  max(time, other) < 86_400_000_000_000 ? 86_400_000_000_000 : 86_401_000_000_000
}
