import Base

/// A choice among the devices that report positions on one line, such as a receiver and an instrument that repeats the
/// receiver's positions two seconds later.
///
/// One device at a time gives the positions. The talkers of the satellite systems are one device, because one receiver
/// uses several of them. Another device replaces the chosen one after `patience` without a fix, or if it is better for
/// `proof` different times in a row: a receiver is better than another talker, and an earlier report than a later one.
struct PositionSource: Sendable {
  /// The time in nanoseconds without a fix after which another device replaces the chosen one.
  private static let patience: Int64 = 3_000_000_000
  private static let proof = 5
  /// The difference of two times in nanoseconds from which one device counts as later than the other.
  private static let lateness: Int64 = 1_000_000_000

  /// The chosen device; 0 before the first fix.
  private var chosen: UInt16 = 0
  private var lastTime: Int64 = -1
  private var lastArrival = MonotonicInstant(nanoseconds: 0)
  private var rival: UInt16 = 0
  private var rivalTime: Int64 = -1
  private var rivalTimes = 0

  /// Returns whether the chosen device sent a sentence. A sentence can also change the choice.
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
  /// The device of all talkers of satellite systems, and of proprietary sentences.
  fileprivate static let satelliteDevice: UInt16 = 1

  fileprivate var device: UInt16 { knownIndex != nil ? Talker.satelliteDevice : code }
}

/// Returns the nanoseconds from one time of day to another, at most half a day in either direction.
func dayDifference(_ from: Int64, _ to: Int64) -> Int64 {
  let day: Int64 = 86_400_000_000_000
  let difference = to &- from
  if difference > day / 2 { return difference &- day }
  return difference < 0 &- day / 2 ? difference &+ day : difference
}
