import Base
import GNSS
@testable import Decoding
import Sentences
import Testing

private func satellites(_ contents: String...) -> [Satellite] {
  let recorder = decode(contents.map(nmeaSentence).joined() + gga("120000"))
  #expect(recorder.errors == [])
  return recorder.epochs.last?.satellites ?? []
}

@Test(arguments: [
  ("GP", 5, Constellation.gps), ("GP", 33, .sbas), ("GP", 51, .sbas), ("GP", 133, .sbas), ("GP", 66, .glonass),
  ("GP", 193, .qzss),
  ("GL", 66, .glonass), ("GL", 1, .glonass), ("GL", 32, .glonass), ("GL", 33, .sbas), ("GL", 64, .sbas),
  ("GL", 65, .glonass), ("GA", 5, .galileo), ("GA", 33, .galileo), ("GB", 33, .beidou),
  ("BD", 40, .beidou),
  ("GB", 201, .beidou), ("GB", 401, .beidou), ("GQ", 1, .qzss), ("QZ", 193, .qzss), ("PQ", 2, .qzss), ("GI", 4, .navic),
  ("GN", 5, .gps), ("GN", 70, .glonass), ("GN", 301, .galileo), ("GN", 201, .qzss), ("GN", 410, .beidou),
])
func `a satellite's system follows from talker and number`(talker: String, number: Int, constellation: Constellation) {
  #expect(satellites("\(talker)GSV,1,1,01,\(number),40,083,46").map(\.constellation) == [constellation])
}

@Test func `empty fields of a satellite are nil`() throws {
  #expect(
    satellites("GPGSV,1,1,04,01,,,46,02,17,308,,03,-05,360,00,04,95,400,39") == [
      Satellite(constellation: .gps, number: 1, signalStrength: 46),
      Satellite(constellation: .gps, number: 2, elevation: 17, azimuth: 308),
      Satellite(constellation: .gps, number: 3, elevation: -5, azimuth: 0),
      Satellite(constellation: .gps, number: 4, signalStrength: 39),
    ])
}

@Test func `the signal id is hexadecimal`() {
  for digit in 0...15 {
    for isUppercase in [true, false] {
      let text = String(digit, radix: 16, uppercase: isUppercase)
      #expect(satellites("GBGSV,1,1,01,05,40,083,46,\(text)").first?.signal == digit)
    }
  }
  #expect(satellites("GBGSV,1,1,01,05,40,083,46").first?.signal == nil)
  for other in ["G", "@", "g", "`", "/", ":"] {
    #expect(decode(nmeaSentence("GBGSV,1,1,01,05,40,083,46,\(other)")).unreadable == ["GSV field 8"])
  }
}

@Test func `each signal has its own group, whether or not the part numbers restart`() {
  let anew = satellites(
    "GPGSV,2,1,05,01,40,083,46,02,40,083,46,03,40,083,46,04,40,083,46,1", "GPGSV,2,2,05,05,40,083,46,1",
    "GPGSV,1,1,02,01,40,083,40,02,40,083,41,6")
  #expect(anew.map(\.number) == [1, 2, 3, 4, 5, 1, 2])
  #expect(anew.map(\.signal) == [1, 1, 1, 1, 1, 6, 6])
  let continued = satellites(
    "GPGSV,3,1,05,01,40,083,46,02,40,083,46,03,40,083,46,04,40,083,46,1", "GPGSV,3,2,05,05,40,083,46,1",
    "GPGSV,3,3,02,01,40,083,40,02,40,083,41,6")
  #expect(continued.map(\.number) == [1, 2, 3, 4, 5, 1, 2])
}

@Test func `later parts may have missing fields, and parts may be truncated or lost`() {
  #expect(
    satellites("GPGSV,2,1,05,01,40,083,46,02,40,083,46,03,40,083,46,04,40,083,46", "GPGSV,2,2,,05,40,083,46").map(
      \.number)
      == [1, 2, 3, 4, 5])
  #expect(satellites("GPGSV,1,1,05,01,40,083,46,02,40").map(\.number) == [1, 2])
  #expect(satellites("GPGSV,1,1,04,01,40,083,46,,,,,,,,,,,,").map(\.number) == [1])
  #expect(satellites("GPGSV,1,1,04,01,40,083,46,,40,083,,03,,,").map(\.number) == [1, 3])
  #expect(satellites("GPGSV,3,1,12,01,40,083,46", "GPGSV,3,3,12,09,40,083,46").map(\.number) == [1, 9])
}

@Test func `a group is valid until the next group of its kind`() {
  let recorder = decode(
    nmeaSentence("GPGSV,1,1,02,01,40,083,46,02,40,083,46") + nmeaSentence("GLGSV,1,1,01,65,40,083,46") + gga("120000")
      + gga("120001") + nmeaSentence("GPGSV,1,1,01,03,40,083,46") + gga("120002"))
  #expect(recorder.epochs.map { Set($0.satellites.map(\.number)) } == [[1, 2, 65], [3, 65], [3, 65]])
}

@Test func `a group that is not repeated is dropped`() {
  var text = gga("120000") + nmeaSentence("GLGSV,1,1,01,65,40,083,46")
  for second in 1..<5 { text += gga("12000\(second)") + nmeaSentence("GPGSV,1,1,01,03,40,083,46") }
  // The group is valid in two epochs that contain only other groups.
  #expect(decode(text).epochs.map { $0.satellites.map(\.number) } == [[65], [3, 65], [3, 65], [3], [3]])
}

@Test func `a group that begins again replaces its satellites`() {
  #expect(satellites("GPGSV,1,1,02,01,40,083,46,02,40,083,46", "GPGSV,1,1,01,03,40,083,46").map(\.number) == [3])
}

/// The constellations, and the number before the first satellite in each of their numbering schemes.
private let numberings: [(Constellation, [Int])] = [
  (.gps, [0]), (.navic, [0]), (.sbas, [32, 119]), (.glonass, [0, 64]), (.galileo, [0, 300]),
  (.beidou, [0, 200, 400]), (.qzss, [0, 192]),
]

@Test(arguments: numberings)
func `a satellite is the same in all numbering schemes, and a number before a scheme is no satellite`(
  constellation: Constellation, starts: [Int]
) {
  for start in starts {
    for number in 1...32 {
      #expect(SatelliteNumber.bit(of: start + number, in: constellation) == 1 << UInt64(number))
    }
    if start >= 64 { #expect(SatelliteNumber.bit(of: start, in: constellation) == nil, "\(start)") }
  }
}

@Test func `GSA defines which satellites are used`() {
  let text =
    gga("120000") + nmeaSentence("GNGSA,A,3,01,33,,,,,,,,,,,1.5,0.9,1.2,1")
    + nmeaSentence("GNGSA,A,3,65,,,,,,,,,,,,1.5,0.9,1.2,2")
    + nmeaSentence("GPGSV,1,1,03,01,40,083,46,02,40,083,46,33,40,083,46")
    + nmeaSentence("GLGSV,1,1,02,65,40,083,46,66,40,083,46")
    + nmeaSentence("GAGSV,1,1,01,01,40,083,46")
  #expect(decode(text).epochs.first?.satellites.map(\.isUsed) == [true, false, true, true, false, nil])
}

/// The numbers of the satellites 1...32 of GPS that a GSA uses.
private func used(_ gsa: String) -> [Int] {
  (1...32).filter { satellites(gsa, "GPGSV,1,1,01,\($0),40,083,46").first?.isUsed == true }
}

@Test func `GSA has 12 slots or 24`() {
  let numbers = (1...24).map(String.init).joined(separator: ",")
  for end in ["", ",1"] {
    #expect(used("GNGSA,A,3,\(numbers),1.5,0.9,1.2\(end)") == Array(1...24))
    #expect(number(.verticalDilution, in: "GNGSA,A,3,\(numbers),1.5,0.9,1.2\(end)") == 1.2)
  }
}

@Test func `a satellite stores values in their ranges only`() {
  var satellite = Satellite(constellation: .sbas, number: 65_535)
  func check<Field: Equatable>(_ field: WritableKeyPath<Satellite, Field?>, _ values: [Field?]) {
    for value in values {
      satellite[keyPath: field] = value
      #expect(satellite[keyPath: field] == value)
    }
  }
  check(\.constellation, Constellation.allCases)
  check(\.elevation, Array(-90...90))
  check(\.azimuth, Array(0...359))
  check(\.signalStrength, Array(0...99))
  check(\.signal, Array(0...15))
  check(\.isUsed, [true, false, nil])
  #expect(satellite.number == 65_535)
  let beyond = Satellite(
    constellation: nil, number: 7, elevation: 91, azimuth: 360, signalStrength: 100, signal: 16)
  #expect(beyond == Satellite(constellation: nil, number: 7))
}

@Test func `slots are read in any order and width`() {
  let slots = "A,3,01,,02,03,,123,4,05,06,,,32,1.5,0.9,1.2"
  #expect(used("GPGSA,\(slots)") == [1, 2, 3, 4, 5, 6, 32])
  #expect(satellites("GPGSA,\(slots)", "GPGSV,1,1,01,123,40,083,46").first?.isUsed == true)
  #expect(number(.positionDilution, in: "GPGSA,\(slots)") == 1.5)
}

@Test(arguments: [
  "GPGSV,1,1,01,02,1-,308,41", "GPGSV,1,1,01,0.,17,308,41", "GPGSV,1,1,01,02,17,3 8,41", "GPGSV,1,1,01,02,17,308,4-",
  "GPGSV,-,1,01,02,17,308,41", "GPGSV,1,1,0.,02,17,308,41", "GPGSA,A,3,01,0-,,,,,,,,,,,1.5,0.9,1.2",
])
func `characters below the digits are not digits`(content: String) {
  let recorder = decode(nmeaSentence(content))
  #expect(recorder.errors == [])
  #expect(recorder.unreadable.count == 1)
}

@Test func `a satellite is the same whether it is read at once or field by field`() throws {
  let role = try #require(SentenceRow.all.first { $0.name == "GSV" }).role
  for text in ["02,17,308,41", "12,90,359,", "00,00,000,00", "33,45,123,99,1"] {
    for index in text.indices {
      for other in "0369,*.A -/:" {
        var changed = text
        changed.replaceSubrange(index...index, with: "\(other)")
        for end in ["", ",02,17,308,41"] {
          let content = Array("GAGSV,\(changed)\(end)".utf8)
          let bytes = content + [UInt8](repeating: 0x2A, count: 16)
          var quick = Fields(bytes.span, content: 0..<content.count, role)
          var slow = Fields(bytes.span, content: 0..<content.count, role)
          guard let satellite = quick.commonSatellite() else { continue }
          let expected = slow.satellite()
          #expect(satellite == expected)
          #expect(quick.index == slow.index && slow.unreadable == 0)
        }
      }
    }
  }
}

@Test func `at most 256 satellites and 32 groups are stored`() {
  let parts = (1...80).map { nmeaSentence("GPGSV,80,\($0),320,01,40,083,46,02,40,083,46,03,40,083,46,04,40,083,46") }
    .joined()
  let many = decode(parts + gga("120000") + gga("120001") + nmeaSentence("GPGSV,1,1,01,05,40,083,46") + gga("120002"))
  #expect(many.errors == [])
  #expect(many.epochs.map(\.satellites.count) == [256, 1, 1])
  let groups = ["GP", "GL", "GA"].flatMap { talker in
    (0...15).map { nmeaSentence("\(talker)GSV,1,1,01,05,40,083,46,\(String($0, radix: 16, uppercase: true))") }
  }
  let epochs = decode(groups.joined() + gga("120000") + gga("120001") + groups.reversed().joined() + gga("120002"))
    .epochs
  #expect(epochs.map(\.satellites.count) == [32, 32, 32])
}

@Test func `each constellation has an index of its own`() {
  #expect(Set(Constellation.allCases.map(\.index)) == Set(Constellation.allCases.indices))
}
