import Clocks
import GNSS
import LineProtocol
import NMEA
import Testing

@testable import TrackFormats

private struct Lines: NMEAOutput {
  var buffer = TextBuffer()
  var wantsSentences: Bool { true }

  mutating func receive(_ epoch: Epoch) {}
  mutating func receive(_ sentence: Sentence, from talker: Talker) { buffer.appendLine(sentence, from: talker) }
  mutating func receive(_ error: NMEAError) { buffer.appendLine(error) }
  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendUBXLine(class: frameClass, id: id, length: payload.count)
  }
  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendRTCM3Line(payload, in: bytes)
  }
}

private func sentence(_ content: String) -> String {
  let sum = content.utf8.reduce(0, ^)
  return "$\(content)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
}

private func decoded(_ bytes: [UInt8]) -> (lines: String, statistics: Statistics) {
  var decoder = NMEADecoder(configuration: .replay)
  var lines = Lines()
  decoder.consume(bytes.span, at: MonotonicInstant(nanoseconds: 0), to: &lines)
  decoder.finish(to: &lines)
  return (lines.buffer.text, decoder.statistics)
}

@Test(arguments: [
  (
    "GNGGA,073134.20,4722.61328,N,00832.50164,E,1,11,0.70,408.2,M,46.9,M,,0000",
    #"{"talker":"GN","type":"GGA","time":"07:31:34.200","lat":47.376888,"lon":8.541694,"quality":"autonomous","sats":11,"#
      + #""hdop":0.7,"alt":408.2,"geoid":46.9,"station":0}"#
  ),
  ("GPGGA,,,,,,0,,,,,,,,", #"{"talker":"GP","type":"GGA","quality":"invalid"}"#),
  (
    "GPRMC,073134.123456,A,4722.61328,S,00832.50164,W,0.8,211.0,211126,1.5,W,D,V",
    #"{"talker":"GP","type":"RMC","time":"07:31:34.123456000","valid":true,"lat":-47.376888,"lon":-8.541694,"#
      + #""speed_knots":0.8,"course":211.0,"date":"2026-11-21","magnetic_variation":-1.5,"mode":"differential","#
      + #""nav_status":"not-valid"}"#
  ),
  (
    "GNGSA,A,3,01,02,,,,,,,,,,,1.60,0.70,1.50,1",
    #"{"talker":"GN","type":"GSA","selection":"automatic","fix":"3d","satellites":[1,2],"pdop":1.6,"hdop":0.7,"#
      + #""vdop":1.5,"system_id":1}"#
  ),
  ("GPGSA,A,1,,,,,,,,,,,,,,,", #"{"talker":"GP","type":"GSA","selection":"automatic","satellites":[]}"#),
  (
    "GPGSV,1,1,02,02,17,308,41,03,,,,1",
    #"{"talker":"GP","type":"GSV","parts":1,"part":1,"in_view":2,"satellites":[{"system":"gps","number":2,"#
      + #""elevation":17,"azimuth":308,"snr":41},{"system":"gps","number":3}],"signal":1}"#
  ),
  (
    "GPGST,073134.20,1.1,2.2,3.3,45.0,4.4,5.5,6.6",
    #"{"talker":"GP","type":"GST","time":"07:31:34.200","range_rms":1.1,"semi_major":2.2,"semi_minor":3.3,"#
      + #""orientation":45.0,"lat_deviation":4.4,"lon_deviation":5.5,"alt_deviation":6.6}"#
  ),
  (
    "GPVTG,211.0,T,,M,0.8,N,1.5,K,A",
    #"{"talker":"GP","type":"VTG","course":211.0,"speed_knots":0.8,"speed_kmh":1.5,"mode":"autonomous"}"#
  ),
  (
    "GPGLL,4722.61328,N,00832.50164,E,073134.20,A,A",
    #"{"talker":"GP","type":"GLL","lat":47.376888,"lon":8.541694,"time":"07:31:34.200","valid":true,"mode":"autonomous"}"#
  ),
  (
    "GNGNS,073134.20,4722.61328,N,00832.50164,E,AN,11,0.7,408.2,46.9,,,V",
    #"{"talker":"GN","type":"GNS","time":"07:31:34.200","lat":47.376888,"lon":8.541694,"modes":["autonomous","not-valid"],"#
      + #""sats":11,"hdop":0.7,"alt":408.2,"geoid":46.9,"nav_status":"not-valid"}"#
  ),
  (
    "GPZDA,073134.20,21,11,2026,-05,30",
    #"{"talker":"GP","type":"ZDA","time":"07:31:34.200","date":"2026-11-21","zone_hours":-5,"zone_minutes":30}"#
  ),
  ("GPHDT,274.07,T", #"{"talker":"GP","type":"HDT","heading":274.07}"#),
  (
    "GPDTM,W84,,0.0,N,0.1,W,0.0,W84",
    #"{"talker":"GP","type":"DTM","datum":"W84","lat_offset_minutes":0.0,"lon_offset_minutes":-0.1,"alt_offset":0.0,"#
      + #""reference":"W84"}"#
  ),
  (
    #"GPTXT,01,01,02,say "a\b""#,
    #"{"talker":"GP","type":"TXT","parts":1,"part":1,"identifier":2,"text":"say \"a\\b\""}"#
  ),
  (
    "GPGBS,073134.20,1.5,-1.0,2.5,03,,-21.4,3.8",
    #"{"talker":"GP","type":"GBS","time":"07:31:34.200","lat_error":1.5,"lon_error":-1.0,"alt_error":2.5,"#
      + #""failed_satellite":3,"bias":-21.4,"bias_deviation":3.8}"#
  ),
  (
    "PUBX,00,073134.20,4722.61328,N,00832.50164,E,455.1,G3,2.1,3.0,1.5,211.0,-0.5,,0.7,1.5,0.9,11,0,0",
    #"{"talker":"P","type":"PUBX,00","time":"07:31:34.200","lat":47.376888,"lon":8.541694,"ellipsoidal_height":455.1,"#
      + #""status":"standalone-3d","hacc":2.1,"vacc":3.0,"speed_kmh":1.5,"course":211.0,"vertical_velocity":-0.5,"#
      + #""hdop":0.7,"vdop":1.5,"tdop":0.9,"sats":11}"#
  ),
  (
    "PMTK001,314,3", #"{"talker":"P","type":"acknowledgement","family":"PMTK","command":314,"result":"succeeded"}"#
  ),
])
func `a sentence is a line with all that it says and nothing else`(content: String, line: String) {
  #expect(decoded(Array(sentence(content).utf8)).lines == line + "\n")
}

@Test(arguments: [
  ("$GPGGA,1*00\r\n", #""error":"checksum-mismatch","message""#),
  ("$GPGGA,1\r\n", #""error":"missing-checksum","message""#),
  (sentence("GPGGA,1"), #""error":"field-count","type":"GGA","fields":1,"message""#),
  (sentence("GPHDT,abc,T"), #""error":"invalid-field","type":"HDT","field":1,"message""#),
  ("$GPHDT,1$GPH\u{0}\r\n", #""error":"interrupted","message""#),
])
func `an error is a line with its cause, and the next sentence is read`(bytes: String, members: String) {
  let lines = decoded(Array((bytes + sentence("GPHDT,1.5,T")).utf8)).lines.split(separator: "\n")
  #expect(lines.first?.contains(members) == true)
  #expect(lines.last == #"{"talker":"GP","type":"HDT","heading":1.5}"#)
}

@Test func `binary frames are lines among the sentences`() {
  let ubx: [UInt8] = [0xB5, 0x62, 0x05, 0x01, 2, 0, 0x06, 0x01, 0x0F, 0x38]
  #expect(
    decoded(ubx + Array(sentence("GPHDT,1.5,T").utf8)).lines
      == """
      {"type":"UBX","class":5,"id":1,"length":2}
      {"talker":"GP","type":"HDT","heading":1.5}

      """)
}

@Test func `statistics count by talker, type and error`() {
  let log =
    sentence("GPHDT,1.5,T") + sentence("IIHDT,1.5,T") + sentence("GPGGA,1") + "$GPGGA*00\r\n" + sentence("GPXYZ,1")
    + sentence("GPGLL,4722.61328,N,00832.50164,E,073134.20,A,A")
  let table = StatisticsTable(decoded(Array(log.utf8)).statistics)
  var json = TextBuffer()
  table.writeJSON(to: &json)
  #expect(
    json.text
      == #"{"bytes":\#(log.utf8.count),"skipped_bytes":0,"sentences":3,"ignored_sentences":1,"late_sentences":0,"#
      + #""ubx_frames":0,"rtcm3_frames":0,"errors":2,"epochs":1,"fixes":1,"by_talker":{"GP":2,"II":1},"#
      + #""by_type":{"GLL":1,"HDT":2},"by_talker_and_type":{"GP GLL":1,"GP HDT":1,"II":1},"by_other_type":{"GPXYZ":1},"#
      + #""by_error":{"checksum-mismatch":1,"field-count":1}}"# + "\n")
  var text = TextBuffer()
  table.writeText(to: &text)
  #expect(
    text.text.hasSuffix(
      """
      other types
        GPXYZ                                    1

      error
        checksum-mismatch                        1
        field-count                              1

      """))
}

@Test func `statistics of nothing are zeros`() {
  var text = TextBuffer()
  StatisticsTable(decoded([]).statistics).writeText(to: &text)
  #expect(text.text.hasPrefix("total\n  bytes                                    0\n"))
  #expect(text.text.split(separator: "\n").count == 11)
}
