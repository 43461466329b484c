import Clocks
import GNSS
import LineProtocol
import NMEA
import Sentences
import Testing
import UBX

@testable import onefix

private struct Lines: NMEAOutput {
  var buffer = TextBuffer()
  var wantsSentences: Bool { true }

  mutating func receive(_ epoch: Epoch) {}
  mutating func receive(_ sentence: Sentence, from talker: Talker) { buffer.appendLine(sentence, from: talker) }
  mutating func receive(_ error: NMEAError) { buffer.appendLine(error) }
  mutating func receiveOther(_ content: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendOtherLine(content, in: bytes)
  }
  mutating func receiveUBX(class frameClass: UInt8, id: UInt8, _ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendLine(UBXIdentifier(frameClass, id), bytes.extracting(payload))
  }
  mutating func receiveRTCM3(_ payload: Range<Int>, in bytes: Span<UInt8>) {
    buffer.appendRTCM3Line(payload, in: bytes)
  }
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
    "PQTMEPE,2,3.0,4.0,6.5,5.0,8.2", #"{"talker":"P","type":"position-error","source":"PQTMEPE","hacc":5.0,"vacc":6.5}"#
  ),
])
func `a sentence is a line with all its values and nothing else`(content: String, line: String) {
  #expect(decoded(Array(nmeaSentence(content).utf8)).lines == line + "\n")
}

@Test(arguments: [
  ("$GPGGA,1*00\r\n", #""error":"checksum-mismatch","message""#),
  ("$GPGGA,1\r\n", #""error":"missing-checksum","message""#),
  (nmeaSentence("GPGGA,1"), #""error":"field-count","type":"GGA","fields":1,"message""#),
  (nmeaSentence("GPGLL,x,N,00832.5,E"), #""error":"invalid-field","type":"GLL","field":1,"message""#),
  ("$GPHDT,1$GPH\u{0}\r\n", #""error":"interrupted","message""#),
])
func `an error is a line with its cause, and the next sentence is decoded`(bytes: String, members: String) {
  let lines = decoded(Array((bytes + nmeaSentence("GPHDT,1.5,T")).utf8)).lines.split(separator: "\n")
  #expect(lines.first?.contains(members) == true)
  #expect(lines.last == #"{"talker":"GP","type":"HDT","heading":1.5}"#)
}

@Test(arguments: [
  ("GPXYZ,1,,a", #"{"talker":"GP","type":"XYZ","fields":["1","","a"]}"#),
  ("PMTK001,314,3", #"{"talker":"P","type":"PMTK001","fields":["314","3"]}"#),
  ("PGRMZ,93,f", #"{"talker":"P","type":"PGRMZ","fields":["93","f"]}"#),
  ("GPLONGER", #"{"type":"GPLONGER","fields":[]}"#),
  (#"GPXYZ,"\"#, #"{"talker":"GP","type":"XYZ","fields":["\"\\"]}"#),
])
func `an unsupported sentence is a line with its address and fields`(content: String, line: String) {
  #expect(decoded(Array(nmeaSentence(content).utf8)).lines == line + "\n")
}

/// A payload of zeros with some little-endian numbers.
private func payload(_ count: Int, _ numbers: [(offset: Int, bytes: Int, value: Int)]) -> [UInt8] {
  var payload = [UInt8](repeating: 0, count: count)
  for number in numbers {
    for index in 0..<number.bytes {
      payload[number.offset + index] = UInt8(truncatingIfNeeded: number.value >> (8 * index))
    }
  }
  return payload
}

@Test(arguments: [
  (
    UBXIdentifier.navPVT,
    payload(
      92,
      [
        (0, 4, 561_600_200), (4, 2, 2026), (6, 1, 11), (7, 1, 21), (8, 1, 12), (10, 1, 5), (11, 1, 7), (12, 4, 30),
        (16, 4, 200_000_000), (20, 1, 3), (21, 1, 0x83), (23, 1, 9), (24, 4, 85_416_940), (28, 4, 473_768_880),
        (32, 4, 455_100), (36, 4, 408_200), (40, 4, 2100), (44, 4, 3000), (48, 4, -500), (60, 4, 500),
        (64, 4, 18_000_000), (68, 4, 200), (72, 4, 1_500_000), (76, 2, 160),
      ]),
    #"{"type":"UBX","message":"NAV-PVT","time_of_week_ms":561600200,"date":"2026-11-21","time":"12:00:05.200","#
      + #""time_resolved":true,"time_accuracy_ns":30,"fix":"3d","fix_ok":true,"differential":true,"carrier":"fixed","#
      + #""sats":9,"lat":47.376888,"lon":8.541694,"ellipsoidal_height":455.1,"alt":408.2,"hacc":2.1,"vacc":3.0,"#
      + #""velocity_north":-0.5,"velocity_east":0.0,"velocity_down":0.0,"speed":0.5,"course":180.0,"sacc":0.2,"#
      + #""cacc":15.0,"pdop":1.6}"#
  ),
  (
    .navDOP, payload(18, [(0, 4, 200), (4, 2, 200), (6, 2, 160), (8, 2, 9999), (10, 2, 150), (12, 2, 70)]),
    #"{"type":"UBX","message":"NAV-DOP","time_of_week_ms":200,"gdop":2.0,"pdop":1.6,"tdop":99.99,"vdop":1.5,"hdop":0.7}"#
  ),
  (
    .navSAT,
    payload(
      32,
      [
        (0, 4, 200), (4, 1, 1), (5, 1, 2), (9, 1, 7), (10, 1, 41), (11, 1, 17), (12, 2, 308), (16, 4, 8), (20, 1, 2),
        (21, 1, 3), (23, 1, -91),
      ]),
    #"{"type":"UBX","message":"NAV-SAT","time_of_week_ms":200,"satellites":[{"system":"gps","number":7,"elevation":17,"#
      + #""azimuth":308,"snr":41,"used":true},{"system":"galileo","number":3,"used":false}]}"#
  ),
  (
    .navSOL,
    payload(
      52,
      [
        (0, 4, 200), (8, 2, 2445), (10, 1, 3), (11, 1, 0x0D), (12, 4, 428_640_620), (16, 4, 64_560_021),
        (20, 4, 466_366_902), (24, 4, 524), (28, 4, -70), (40, 4, 21), (44, 2, 262), (47, 1, 9),
      ]),
    #"{"type":"UBX","message":"NAV-SOL","time_of_week_ms":200,"week":2445,"fix":"3d","fix_ok":true,"#
      + #""differential":false,"sats":9,"x":4286406.2,"y":645600.21,"z":4663669.02,"pacc":5.24,"velocity_x":-0.7,"#
      + #""velocity_y":0.0,"velocity_z":0.0,"sacc":0.21,"pdop":2.62}"#
  ),
  (
    .navSTATUS, payload(16, [(0, 4, 200), (4, 1, 5), (5, 1, 1), (7, 1, 0x10)]),
    #"{"type":"UBX","message":"NAV-STATUS","time_of_week_ms":200,"fix":"time-only","fix_ok":true,"#
      + #""differential":false,"spoofing":"suspected"}"#
  ),
  (
    .navPOSLLH, payload(28, [(0, 4, 200), (4, 4, 85_416_940), (8, 4, 473_768_880), (12, 4, 455_100), (20, 4, 2100)]),
    #"{"type":"UBX","message":"NAV-POSLLH","time_of_week_ms":200,"lat":47.376888,"lon":8.541694,"#
      + #""ellipsoidal_height":455.1,"alt":0.0,"hacc":2.1}"#
  ),
  (
    .navTIMEGPS, payload(16, [(0, 4, 200), (10, 1, 18), (11, 1, 7)]),
    #"{"type":"UBX","message":"NAV-TIMEGPS","time_of_week_ms":200,"leap_seconds":18}"#
  ),
  (
    .navSVINFO, payload(20, [(0, 4, 200), (4, 1, 1), (9, 1, 65), (12, 1, 30), (13, 1, -91)]),
    #"{"type":"UBX","message":"NAV-SVINFO","time_of_week_ms":200,"satellites":[{"system":"glonass","number":1,"snr":30,"#
      + #""used":false}]}"#
  ),
  (.navEOE, payload(4, [(0, 4, 200)]), #"{"type":"UBX","message":"NAV-EOE","time_of_week_ms":200}"#),
  (
    .monVER,
    Array("ROM \"5\"".utf8) + payload(23, []) + Array("000A0000".utf8) + payload(2, []) + Array("MOD=M10".utf8)
      + payload(23, []),
    #"{"type":"UBX","message":"MON-VER","software":"ROM \"5\"","hardware":"000A0000","extensions":["MOD=M10"]}"#
  ),
  (.ack, [0x06, 0x8A], #"{"type":"UBX","message":"ACK-ACK","answers":"06-8a"}"#),
  (.nak, [0x01, 0x07], #"{"type":"UBX","message":"ACK-NAK","answers":"NAV-PVT"}"#),
  (UBXIdentifier(0x0A, 0x09), [1, 2, 3], #"{"type":"UBX","message":"0a-09","length":3}"#),
  (.navDOP, [1, 2, 3], #"{"error":"payload-length","type":"UBX","message":"NAV-DOP","length":3}"#),
  (
    .navSAT, [0, 0, 0, 0, 9, 0, 0, 0], #"{"error":"version","type":"UBX","message":"NAV-SAT","version":9}"#
  ),
])
func `a UBX message is a line with its fields`(identifier: UBXIdentifier, payload: [UInt8], line: String) {
  let lines = decoded(UBXFrame.encode(identifier, payload) + Array(nmeaSentence("GPHDT,1.5,T").utf8)).lines
  #expect(lines == line + "\n" + #"{"talker":"GP","type":"HDT","heading":1.5}"# + "\n")
}

/// An RTCM 3 frame of four bytes.
private let correction: [UInt8] = [0xD3, 0x00, 0x04, 0x24, 0x47, 0x4E, 0x52, 0xC2, 0xFB, 0xE5]

@Test func `an RTCM 3 frame is a line with its number`() {
  #expect(decoded(correction).lines == #"{"type":"RTCM3","message":580,"length":4}"# + "\n")
}

@Test func `statistics count by talker, type and error`() {
  let log =
    nmeaSentence("GPHDT,1.5,T") + nmeaSentence("IIHDT,1.5,M") + nmeaSentence("GPGGA,1") + "$GPGGA*00\r\n"
    + nmeaSentence("GPXYZ,1")
    + nmeaSentence("GPGLL,4722.61328,N,00832.50164,E,073134.20,A,A")
  var frames = FrameCounts()
  for identifier in [UBXIdentifier.navPVT, UBXIdentifier(0x0A, 0x09), .navPVT] { frames.count(identifier) }
  frames.countRTCM3(3..<7, in: correction.span)
  frames.unreadable = 1
  let table = StatisticsTable(decoded(Array(log.utf8)).statistics, frames: frames, epochs: 1, fixes: 1)
  var json = TextBuffer()
  table.writeJSON(to: &json)
  #expect(
    json.text
      == #"{"bytes":\#(log.utf8.count),"skipped_bytes":0,"sentences":3,"ignored_sentences":1,"late_sentences":0,"#
      + #""ubx_frames":0,"rtcm3_frames":0,"errors":3,"epochs":1,"fixes":1,"by_talker":{"GP":2,"II":1},"#
      + #""by_type":{"GLL":1,"HDT":2},"by_talker_and_type":{"GP GLL":1,"GP HDT":1,"II":1},"by_other_type":{"GPXYZ":1},"#
      + #""by_ubx_message":{"NAV-PVT":2,"0a-09":1},"by_rtcm3_message":{"580":1},"#
      + #""by_error":{"checksum-mismatch":1,"field-count":1,"ubx-contents":1},"#
      + #""by_rejected_field":{"GGA with too few fields":1},"by_unknown_field":{"HDT field 2":1}}"# + "\n")
  var text = TextBuffer()
  table.writeText(to: &text)
  #expect(
    text.text.hasSuffix(
      """
      other types
        GPXYZ                                    1

      UBX message
        NAV-PVT                                  2
        0a-09                                    1

      RTCM 3 message
        580                                      1

      error
        checksum-mismatch                        1
        field-count                              1
        ubx-contents                             1

      checksum right, sentence rejected
        GGA with too few fields                  1

      checksum right, field unknown
        HDT field 2                              1

      """))
}

@Test func `statistics without data are zeros`() {
  var text = TextBuffer()
  StatisticsTable(decoded([]).statistics, epochs: 0, fixes: 0).writeText(to: &text)
  #expect(text.text.hasPrefix("total\n  bytes                                    0\n"))
  #expect(text.text.split(separator: "\n").count == 11)
}
