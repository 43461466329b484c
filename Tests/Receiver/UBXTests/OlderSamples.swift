import Decoding

// The fix of `pvt`, in the messages of receivers before u-blox 7.

/// NAV-SOL: week 2445, the position of `pvt`, and a velocity of 1.2 m/s to the north, 3.4 m/s to the west and 0.5 m/s
/// downwards.
let sol = Payload(52).with { payload in
  payload.put([545_512_200, -1500] as [Int32], at: 0)
  payload.put(Int16(2445), at: 8)
  payload.put([3, 0x0D] as [UInt8], at: 10)
  payload.put([428_640_620, 64_560_021, 466_366_902, 524, -70, -354, 45, 21] as [Int32], at: 12)
  payload.put(UInt16(262), at: 44)
  payload.put(UInt8(9), at: 47)
}

let posllh = Payload(28).with { payload in
  payload.put([545_512_200, 85_652_650, 472_852_330, 456_789, 409_123, 1843, 2950] as [Int32], at: 0)
}

let velned = Payload(36).with { payload in
  payload.put([545_512_200, -12, 330, 2, 331, 330, 9_208_300, 21, 540_000] as [Int32], at: 0)
}

let timeutc = Payload(20).with { payload in
  payload.put([545_512_200, 25, 200_000_000] as [Int32], at: 0)
  payload.put(UInt16(2026), at: 12)
  payload.put([11, 21, 7, 31, 34, 0x07] as [UInt8], at: 14)
}

let timegps = Payload(16).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put(Int16(2445), at: 8)
  payload.put([18, 0x07] as [UInt8], at: 10)
}

let status = Payload(16).with { payload in
  payload.put(UInt32(545_512_200), at: 0)
  payload.put([3, 0x0D, 0, 0x08] as [UInt8], at: 4)
}

func svinfo(_ satellites: [(number: UInt8, strength: UInt8, elevation: Int8, azimuth: Int16, flags: UInt8)]) -> Payload
{
  Payload(8 + 12 * satellites.count).with { payload in
    payload.put(UInt32(545_512_200), at: 0)
    payload.put(UInt8(satellites.count), at: 4)
    for (index, satellite) in satellites.enumerated() {
      let offset = 8 + 12 * index
      payload.put([satellite.number, satellite.flags], at: offset + 1)
      payload.put(satellite.strength, at: offset + 4)
      payload.put(satellite.elevation, at: offset + 5)
      payload.put(satellite.azimuth, at: offset + 6)
    }
  }
}
