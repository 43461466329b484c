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
  for (offset, value) in [(6, 11), (7, 21), (8, 7), (9, 31), (10, 34), (11, 0x37), (20, 3), (21, 0x01), (23, 14)] {
    payload.put(UInt8(value), at: offset)
  }
  payload.put(UInt32(25), at: 12)
  payload.put(Int32(200_000_000), at: 16)
  payload.put(Int32(85_652_650), at: 24)
  payload.put(Int32(472_852_330), at: 28)
  payload.put(Int32(456_789), at: 32)
  payload.put(Int32(409_123), at: 36)
  payload.put(UInt32(1843), at: 40)
  payload.put(UInt32(2950), at: 44)
  payload.put(Int32(-120), at: 48)
  payload.put(Int32(3300), at: 52)
  payload.put(Int32(15), at: 56)
  payload.put(Int32(3302), at: 60)
  payload.put(Int32(9_208_300), at: 64)
  payload.put(UInt32(210), at: 68)
  payload.put(UInt32(540_000), at: 72)
  payload.put(UInt16(131), at: 76)
}

/// HNR-PVT with the position, the time and the course of `pvt`, some milliseconds later.
func hnr(later milliseconds: Int32 = 0) -> Payload {
  Payload(72).with { payload in
    payload.put(UInt32(545_512_200 + Int(milliseconds)), at: 0)
    payload.put(UInt16(2026), at: 4)
    for (offset, value) in [(6, 11), (7, 21), (8, 7), (9, 31), (10, 34), (11, 0x07), (16, 4), (17, 0x1D)] {
      payload.put(UInt8(value), at: offset)
    }
    payload.put(Int32(200_000_000) + milliseconds * 1_000_000, at: 12)
    payload.put(Int32(85_652_650), at: 20)
    payload.put(Int32(472_852_330), at: 24)
    payload.put(Int32(456_789), at: 28)
    payload.put(Int32(409_123), at: 32)
    payload.put(Int32(3302), at: 36)
    payload.put(Int32(9_208_300), at: 44)
    payload.put(UInt32(1843), at: 52)
    payload.put(UInt32(2950), at: 56)
    payload.put(UInt32(210), at: 60)
    payload.put(UInt32(540_000), at: 64)
  }
}

func dop(_ time: UInt32 = 545_512_200) -> Payload {
  Payload(18).with { payload in
    payload.put(time, at: 0)
    for (index, value) in [155, 131, 83, 108, 74, 55, 50].enumerated() { payload.put(UInt16(value), at: 4 + 2 * index) }
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
    payload.put(UInt8(1), at: 4)
    payload.put(UInt8(satellites.count), at: 5)
    for (index, satellite) in satellites.enumerated() {
      let offset = 8 + 12 * index
      payload.put(satellite.gnss, at: offset)
      payload.put(satellite.number, at: offset + 1)
      payload.put(satellite.strength, at: offset + 2)
      payload.put(satellite.elevation, at: offset + 3)
      payload.put(satellite.azimuth, at: offset + 4)
      payload.put(satellite.flags, at: offset + 8)
    }
  }
}

func ver(_ software: String, _ hardware: String, _ extensions: [String]) -> Payload {
  Payload(40 + 30 * extensions.count).with { payload in
    func put(_ text: String, _ offset: Int) {
      for (index, byte) in text.utf8.enumerated() { payload.put(byte, at: offset + index) }
    }
    put(software, 0)
    put(hardware, 30)
    for (index, text) in extensions.enumerated() { put(text, 40 + 30 * index) }
  }
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
