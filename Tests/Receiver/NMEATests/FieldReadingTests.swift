import Decoding
import GNSS
import Sentences
import Testing

private let time = "123519.250"
private let positions = [
  "4807.03812,N,01131.00047,E", "4807.038,S,01131.000,W", "4807.0381234,N,01131.0001234,E", "0001.1,N,00001.1,E",
]

/// A sentence of each format.
private let formats = [
  "GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,46.9,M,,", "GPGLL,4807.038,N,01131.000,E,123519,A,A",
  "GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,211126,,,A", "GPVTG,054.7,T,034.4,M,005.5,N,010.2,K",
  "GPGSA,A,3,04,05,,09,12,,,24,,,,,2.5,1.3,2.1,1", "GPGSV,1,1,03,01,40,083,46,02,17,308,41,12,07,344,39,1",
  "GPGST,123519,1.8,15.5,12.1,1.5,1.7,1.3,2.2", "GNGNS,123519,4807.038,N,01131.000,E,AA,10,0.83,111.1,45.6,2,0000,S",
  "GPZDA,123519,09,12,2002,00,00", "GPDTM,999,CH,0.08,N,0.07,W,-47.7,W84", "PGRME,4.7,M,6.2,M,7.8,M",
  "PUBX,00,123519,4807.038,N,01131.000,E,546.589,G3,2.1,2.0,36.0,77.52,0.007,,0.92,1.19,0.77,9,0,0",
  "PUBX,04,123519,091202,113851.00,1196,15D,1930035,-2660.664,43", "PQTMEPE,2,3.393,3.476,12.713,4.857,13.609",
]

/// Returns variants of a text: with each character replaced by others, and with one character removed or added.
private func variants(_ text: String) -> [String] {
  let characters = Array(text)
  return characters.indices.flatMap { index in
    var all = "0159NSEW.,".map { (other: Character) -> String in
      String(characters[..<index] + [other] + characters[(index + 1)...])
    }
    all.append(String(characters[..<index] + characters[(index + 1)...]))
    all.append(String(characters[...index] + ["7"] + characters[(index + 1)...]))
    return all
  }
}

@Test(arguments: positions)
func `the position of the previous sentence does not change how a position is read`(position: String) {
  for other in variants(position) {
    let alone = decode(nmeaSentence("GPRMC,123520.250,A,\(other),022.4,084.4,211126,,,A"))
    let both = decode(
      nmeaSentence("GPRMC,\(time),A,\(position),022.4,084.4,211126,,,A")
        + nmeaSentence("GPRMC,123520.250,A,\(other),022.4,084.4,211126,,,A"))
    #expect(both.epochs.dropFirst().map(\.coordinate) == alone.epochs.map(\.coordinate))
    #expect(both.errors == alone.errors)
  }
}

@Test(arguments: ["123519.250", "123519.25", "123519.2", "123519.123456789"])
func `the time of the previous sentence does not change how a time is read`(time: String) {
  // A sentence that is invalid after its time belongs to no epoch.
  let first = nmeaSentence("GPGLL,4807.038,N,01131.000,E,\(time),x,A")
  for other in variants(time) {
    let next = nmeaSentence("GPGLL,4807.038,N,01131.000,E,\(other),A,A")
    let (alone, both) = (decode(next), decode(first + next))
    #expect(both.epochs.map(\.timeOfDay) == alone.epochs.map(\.timeOfDay))
    #expect(both.errors.dropFirst() == alone.errors[...])
  }
}

@Test(arguments: formats)
func `the bytes behind a sentence do not change how it is read`(content: String) {
  var configuration = NMEAConfiguration.replay
  configuration.requiresChecksum = false
  for count in 1...content.utf8.count {
    let (bare, rest) = ("$" + content.prefix(count), content.dropFirst(count))
    // CR LF is one character.
    let checked = nmeaSentence(String(content.prefix(count))).dropLast()
    // A line end, or a checksum, takes the place of the next character, or stands before it.
    for behind in [rest, rest.dropFirst()] {
      for end in ["\n", "\r"] {
        #expect(decode(bare + end + behind, configuration) == decode(bare + end, configuration))
      }
      #expect(decode(checked + behind + "\n", configuration) == decode(checked + "\n", configuration))
    }
  }
}
