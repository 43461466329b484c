import Testing

@testable import Decoding

private func seconds(_ seconds: Double) -> Int64 { Int64(seconds * 1e9) }

extension EpochEnding {
  /// Adds epochs that end with the sentence 1.
  fileprivate mutating func add(epochs: Int) {
    for _ in 0..<epochs {
      _ = record(1)
      ended(with: 1)
    }
  }

  /// Adds an epoch with a sentence after the sentence 1, although the sentence 1 usually is the last one.
  fileprivate mutating func addLate() {
    _ = record(1)
    endedTooEarly()
  }

  /// Returns how many more epochs must end with the sentence 1 until the sentence counts as the last one.
  fileprivate var missing: Int {
    var later = self
    var count = 0
    while !later.record(1), count < 10_000 {
      later.ended(with: 1)
      count += 1
    }
    return count
  }
}

@Test(arguments: [(0, 0), (1, 4), (2, 8), (3, 16)])
func `each epoch that ended too early doubles the count of epochs that the end needs`(late: Int, needed: Int) {
  var ending = EpochEnding()
  ending.add(epochs: 1)
  ending.ended(with: 0)
  #expect(ending.missing == 1 && !ending.isKnown)
  ending.add(epochs: 1)
  #expect(ending.missing == 0 && ending.isKnown)
  for _ in 0..<late { ending.addLate() }
  #expect(ending.missing == needed && ending.isKnown == (late == 0))
}

@Test(arguments: [(63, 8), (64, 4), (128, 4)])
func `64 epochs with the same end halve the count of epochs that the end needs, down to 2`(epochs: Int, needed: Int) {
  var ending = EpochEnding()
  ending.add(epochs: 1)
  ending.addLate()
  ending.add(epochs: epochs)
  ending.addLate()
  #expect(ending.missing == needed)
}

@Test func `an end needs at most 1024 epochs`() {
  var ending = EpochEnding()
  ending.add(epochs: 1)
  for _ in 0..<12 { ending.addLate() }
  // The count is halved after 64, 128 and 192 epochs. So after 192 epochs, 128 are enough.
  #expect(ending.missing == 192)
}

@Test func `a ninth sentence replaces the sentence that ended the fewest epochs`() {
  var ending = EpochEnding()
  for signature in 1...8 as ClosedRange<UInt64> {
    for _ in 0..<(signature == 3 ? 2 : 3) { ending.ended(with: signature) }
  }
  ending.ended(with: 9)
  let trusted = (1...9 as ClosedRange<UInt64>).filter { signature in
    var later = ending
    return later.record(signature)
  }
  #expect(trusted == [1, 2, 4, 5, 6, 7, 8])
}

@Test(arguments: [(0.4, false), (0.5, true), (9.9, true), (10, false), (-1, false)])
func `a late copy is earlier by half a second to 10 s, also over midnight`(step: Double, isEarlier: Bool) {
  for time in [seconds(43_200), seconds(0.2)] {
    let earlier = (time - seconds(step) + seconds(86_400)) % seconds(86_400)
    #expect(TimeSequence.isEarlier(earlier, than: time) == isEarlier)
  }
  #expect(!TimeSequence.isEarlier(-1, than: seconds(1)) && !TimeSequence.isEarlier(seconds(1), than: -1))
}

@Test(arguments: [(0, false), (0.001, true), (9.9, true), (10, false), (-1, false)])
func `a time follows another within 10 s, also over midnight`(step: Double, follows: Bool) {
  for time in [seconds(43_200), seconds(86_399.9)] {
    let later = (time + seconds(step)) % seconds(86_400)
    #expect(TimeSequence.follows(later, time) == follows)
  }
}
