import Base
import Decoding
import GNSS
import Testing

private struct Line {
  var assembler = UBXEpochAssembler(rolloverFloor: nil)
  var epochs: [Epoch] = []

  mutating func send(_ identifier: UBXIdentifier, _ payload: Payload, at milliseconds: Int64 = 10) throws {
    try assembler.process(
      identifier, payload.bytes.span, began: at(milliseconds), ended: at(milliseconds + 2), into: &epochs)
  }
}

@Test func `HNR-PVT makes the same epoch as NAV-PVT, without satellites and dilution`() throws {
  var expected = try #require(epochs([(.navPVT, pvt)]).first)
  expected.satellitesUsed = nil
  expected.dilutionOfPrecision = DilutionOfPrecision()
  // HNR-PVT is emitted at once, so the silence behind it adds nothing.
  #expect(try epochs([(.hnrPVT, hnr())]) == [expected])
}

@Test func `HNR-PVT is emitted at once, and an older NAV-PVT is not`() throws {
  var line = Line()
  try line.send(.hnrPVT, hnr(later: 100), at: 30)
  #expect(line.epochs.map(\.began) == [at(30)])
  // The receiver needs 400 ms for NAV-PVT.
  try line.send(.navPVT, pvt, at: 400)
  try line.send(.hnrPVT, hnr(later: 400), at: 420)
  try line.send(.navDOP, dop(), at: 430)
  try line.send(.navEOE, Payload(4).with { $0.put(UInt32(545_512_200), at: 0) }, at: 440)
  try line.send(.hnrPVT, hnr(later: 500), at: 520)
  #expect(line.epochs.compactMap(\.timeOfDay?.nanosecond) == [300_000_000, 600_000_000, 700_000_000])
  #expect(line.epochs.map(\.satellitesUsed) == [nil, nil, 14])
  #expect(line.epochs.map(\.startsSequence) == [false, false, false])
  #expect(line.assembler.lateMessages == 0)
}

@Test func `HNR-PVT without a fix is ignored, and the NAV-PVT of its time is emitted`() throws {
  var line = Line()
  try line.send(.hnrPVT, hnr().with { $0.put(UInt8(0x1C), at: 17) })
  #expect(line.epochs.isEmpty)
  try line.send(.navPVT, pvt)
  line.assembler.silence(into: &line.epochs)
  #expect(line.epochs.map(\.quality) == [.autonomous])
}

@Test(
  arguments: [
    (100, 604_799_900, 1), (1998, 604_799_999, 1), (100, 604_798_000, 2), (604_799_900, 0, 2), (604_799_900, 100, 2),
  ] as [(UInt32, UInt32, Int)])
func `at the change of the week, a NAV-PVT of an earlier time than HNR-PVT is not emitted`(
  high: UInt32, plain: UInt32, count: Int
) throws {
  var line = Line()
  try line.send(.hnrPVT, hnr().with { $0.put(high, at: 0) })
  try line.send(.navPVT, pvt.with { $0.put(plain, at: 0) })
  line.assembler.silence(into: &line.epochs)
  #expect(line.epochs.count == count)
}

@Test func `NAV-PVT is emitted when HNR-PVT has stopped, and when the receiver starts again`() throws {
  var line = Line()
  try line.send(.hnrPVT, hnr())
  try line.send(.navPVT, pvt.with { $0.put(UInt32(545_513_200), at: 0) })
  line.assembler.silence(into: &line.epochs)
  try line.send(.navPVT, pvt.with { $0.put(UInt32(545_500_000), at: 0) })
  line.assembler.silence(into: &line.epochs)
  #expect(line.epochs.count == 3)
  try line.send(.hnrPVT, hnr(later: -2000))
  #expect(line.epochs.map(\.startsSequence) == [false, false, true, true])
}
