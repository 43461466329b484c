import Base
import Testing

@testable import Decoding

extension PositionSource {
  /// Returns whether the decoder uses a position from a talker. Both times are in nanoseconds: the time of the position
  /// after noon, below 10 s, and the time of its arrival.
  fileprivate mutating func uses(_ talker: String, _ time: Int64, arrived: Int64 = 0) throws -> Bool {
    let fraction = String(1_000_000_000 + time % 1_000_000_000).dropFirst()
    let bytes = Array("\(talker)GLL,4722.1,N,00832.5,E,12000\(time / 1_000_000_000).\(fraction),A,A".utf8)
    let row = SentenceRow.all[SentenceType.gll.rawValue]
    let sender = try #require(Talker(talker))
    var fields = Fields(bytes.span, content: 0..<bytes.count, row.role)
    var sentence = Sentence(row.role, sender)
    try sentence.read(row.fields, &fields)
    return isChosen(&sentence, at: MonotonicInstant(nanoseconds: arrived))
  }
}

@Test(arguments: [(999_999_999, false), (1_000_000_000, true)] as [(Int64, Bool)])
func `an instrument replaces another instrument with its fifth position that is a second newer`(
  ahead: Int64, isReplaced: Bool
) throws {
  var source = PositionSource()
  var uses: [Bool] = []
  for second in 0..<5 as Range<Int64> {
    let time = second * 1_000_000_000
    let isChosen = try source.uses("II", time)
    #expect(isChosen)
    uses.append(try source.uses("IN", time + ahead))
  }
  #expect(uses == [false, false, false, false, isReplaced])
}

@Test(
  arguments: [
    (3_000_000_000, 0, false), (3_000_000_001, 0, true), (0, 3_000_000_000, false), (0, 3_000_000_001, true),
  ] as [(Int64, Int64, Bool)])
func `another device is used at once if the chosen device has had no position for more than 3 s`(
  time: Int64, arrived: Int64, isUsed: Bool
) throws {
  var source = PositionSource()
  let isChosen = try source.uses("II", 0)
  #expect(isChosen)
  let isOtherUsed = try source.uses("IN", time, arrived: arrived)
  #expect(isOtherUsed == isUsed)
}

@Test(
  arguments: [
    (0, 43_200_000_000_000, 43_200_000_000_000), (0, 43_200_000_000_001, -43_199_999_999_999),
    (43_200_000_000_000, 0, -43_200_000_000_000), (43_200_000_000_001, 0, 43_199_999_999_999),
    // A leap second, and the seconds before and after it.
    (86_400_000_000_000, 0, 1_000_000_000), (0, 86_400_500_000_000, -500_000_000),
    (86_399_000_000_000, 86_400_000_000_000, 1_000_000_000), (86_399_000_000_000, 0, 1_000_000_000),
  ] as [(Int64, Int64, Int64)])
func `two times of day are at most half a day apart`(from: Int64, to: Int64, difference: Int64) {
  #expect(dayDifference(from, to) == difference)
}
