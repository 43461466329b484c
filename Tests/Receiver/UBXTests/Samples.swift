import Base
import Decoding
import GNSS

/// A payload with a method that writes single fields.
struct Payload {
  var bytes: [UInt8]

  init(_ count: Int) { bytes = [UInt8](repeating: 0, count: count) }

  mutating func put(_ value: some FixedWidthInteger, at offset: Int) {
    var rest = value
    for index in 0..<(type(of: value).bitWidth / 8) {
      bytes[offset + index] = UInt8(truncatingIfNeeded: rest)
      rest >>= 8
    }
  }

  /// Writes fields that follow each other.
  mutating func put<Field: FixedWidthInteger>(_ values: [Field], at offset: Int) {
    for (index, value) in values.enumerated() { put(value, at: offset + index * Field.bitWidth / 8) }
  }

  func with(_ change: (inout Payload) -> Void) -> Payload {
    var copy = self
    change(&copy)
    return copy
  }
}

/// NAV-PVT of a valid three-dimensional fix: 2026-11-21 07:31:34.2, 47.285233 N 8.565265 E.
let pvt = Payload(92).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put(UInt16(2026), at: 4)
  payload.put([11, 21, 7, 31, 34, 0x37] as [UInt8], at: 6)
  payload.put([25, 200_000_000] as [Int32], at: 12)
  payload.put([3, 0x01, 0, 14] as [UInt8], at: 20)
  payload.put([85_652_650, 472_852_330, 456_789, 409_123, 1843, 2950] as [Int32], at: 24)
  payload.put([-120, 3300, 15, 3302, 9_208_300, 210, 540_000] as [Int32], at: 48)
  payload.put(UInt16(131), at: 76)
}

/// HNR-PVT with the position, the time and the course of `pvt`, some milliseconds later.
func hnr(later milliseconds: Int32 = 0) -> Payload {
  Payload(72).with { payload in
    payload.put(UInt32(545_512_200 + Int(milliseconds)), at: 0)
    payload.put(UInt16(2026), at: 4)
    payload.put([11, 21, 7, 31, 34, 0x07] as [UInt8], at: 6)
    payload.put(Int32(200_000_000) + milliseconds * 1_000_000, at: 12)
    payload.put([4, 0x1D] as [UInt8], at: 16)
    payload.put([85_652_650, 472_852_330, 456_789, 409_123, 3302, 0, 9_208_300, 0] as [Int32], at: 20)
    payload.put([1843, 2950, 210, 540_000] as [Int32], at: 52)
  }
}

func dop(_ time: UInt32 = 545_512_200) -> Payload {
  Payload(18).with { payload in
    payload.put(time, at: 0)
    payload.put([155, 131, 83, 108, 74, 55, 50] as [UInt16], at: 4)
  }
}

struct SampleSatellite {
  var gnss: UInt8
  var number: UInt8
  var strength: UInt8 = 40
  var elevation: Int8 = 45
  var azimuth: Int16 = 180
  var flags: UInt32 = 0x1F
}

func sat(_ satellites: [SampleSatellite], _ time: UInt32 = 545_512_200) -> Payload {
  Payload(8 + 12 * satellites.count).with { payload in
    payload.put(time, at: 0)
    payload.put([1, UInt8(satellites.count)], at: 4)
    for (index, satellite) in satellites.enumerated() {
      let offset = 8 + 12 * index
      payload.put([satellite.gnss, satellite.number, satellite.strength], at: offset)
      payload.put(satellite.elevation, at: offset + 3)
      payload.put(satellite.azimuth, at: offset + 4)
      payload.put(satellite.flags, at: offset + 8)
    }
  }
}

func ver(_ software: String, _ hardware: String, _ extensions: [String]) -> Payload {
  Payload(40 + 30 * extensions.count).with { payload in
    payload.put(Array(software.utf8), at: 0)
    payload.put(Array(hardware.utf8), at: 30)
    for (index, text) in extensions.enumerated() { payload.put(Array(text.utf8), at: 40 + 30 * index) }
  }
}

typealias Part = (identifier: UBXIdentifier, payload: Payload)

/// Returns the epochs of messages that arrive without a pause, and end with a silence.
func epochs(_ parts: [Part], floor: UTCDate? = nil) throws -> [Epoch] {
  var assembler = UBXEpochAssembler(rolloverFloor: floor)
  var epochs: [Epoch] = []
  for part in parts {
    try assembler.process(part.identifier, part.payload.bytes.span, began: at(10), ended: at(12), into: &epochs)
  }
  assembler.silence(into: &epochs)
  return epochs
}

func at(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

/// A random number generator with the same numbers in every run. (xorshift64*)
struct SeededBytes {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state &* 0x2545_F491_4F6C_DD1D
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 40) }
  }
}
