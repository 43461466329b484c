import Decoding

// The fix of `pvt`, in the messages of receivers before u-blox 7.

/// NAV-SOL: week 2445, the position of `pvt`, and a velocity of 1.2 m/s to the north, 3.4 m/s to the west and 0.5 m/s
/// downwards.
let sol = Payload(52).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put(Int32(-1500), at: 4)
  payload.put(Int16(2445), at: 8)
  payload.put(UInt8(3), at: 10)
  payload.put(UInt8(0x0D), at: 11)
  for (index, value) in [Int32(428_640_620), 64_560_021, 466_366_902].enumerated() {
    payload.put(value, at: 12 + 4 * index)
  }
  payload.put(UInt32(524), at: 24)
  for (index, value) in [Int32(-70), -354, 45].enumerated() { payload.put(value, at: 28 + 4 * index) }
  payload.put(UInt32(21), at: 40)
  payload.put(UInt16(262), at: 44)
  payload.put(UInt8(9), at: 47)
}

let posllh = Payload(28).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put(Int32(85_652_650), at: 4)
  payload.put(Int32(472_852_330), at: 8)
  payload.put(Int32(456_789), at: 12)
  payload.put(Int32(409_123), at: 16)
  payload.put(UInt32(1843), at: 20)
  payload.put(UInt32(2950), at: 24)
}

let velned = Payload(36).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  for (index, value) in [Int32(-12), 330, 2, 331, 330, 9_208_300].enumerated() {
    payload.put(value, at: 4 + 4 * index)
  }
  payload.put(UInt32(21), at: 28)
  payload.put(UInt32(540_000), at: 32)
}

let timeutc = Payload(20).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put(UInt32(25), at: 4)
  payload.put(Int32(200_000_000), at: 8)
  payload.put(UInt16(2026), at: 12)
  for (offset, value) in [(14, 11), (15, 21), (16, 7), (17, 31), (18, 34), (19, 0x07)] {
    payload.put(UInt8(value), at: offset)
  }
}

let timegps = Payload(16).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put(Int16(2445), at: 8)
  payload.put(Int8(18), at: 10)
  payload.put(UInt8(0x07), at: 11)
}

let status = Payload(16).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put(UInt8(3), at: 4)
  payload.put(UInt8(0x0D), at: 5)
  payload.put(UInt8(0x08), at: 7)
}

func svinfo(_ satellites: [(number: UInt8, strength: UInt8, elevation: Int8, azimuth: Int16, flags: UInt8)]) -> Payload
{
  Payload(8 + 12 * satellites.count).with { payload in
    payload.put(UInt32(545_512_200), at: 0)
    payload.put(UInt8(satellites.count), at: 4)
    for (index, satellite) in satellites.enumerated() {
      let offset = 8 + 12 * index
      payload.put(satellite.number, at: offset + 1)
      payload.put(satellite.flags, at: offset + 2)
      payload.put(satellite.strength, at: offset + 4)
      payload.put(satellite.elevation, at: offset + 5)
      payload.put(satellite.azimuth, at: offset + 6)
    }
  }
}
