import ArgumentParser
import Base
import Decoding
import Glibc
import LineProtocol
import OwnerScreens
import PseudoTerminals
import Sentences
import Testing
@testable import onefix

/// Two epochs with a fix, and one without between them.
private let log =
  nmeaSentence("GPGGA,073134.00,4722.61328,N,00832.50164,E,8,11,0.70,408.2,M,46.9,M,,")
  + nmeaSentence("GPRMC,073134.00,A,4722.61328,N,00832.50164,E,0.0,,211126,,,S")
  + nmeaSentence("GPGGA,073135.00,,,,,0,,,,,,,,") + nmeaSentence("GPRMC,073135.00,V,,,,,,,211126,,,N")
  + nmeaSentence("GPRMC,073136.00,A,4722.61328,N,00832.50164,E,0.0,,211126,,,A")

/// The path of a pipe that contains the text and has no writer.
private final class Pipe {
  private(set) var reader: Int32
  let writer: Int32

  init(_ bytes: [UInt8]? = nil) {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    (reader, writer) = (ends[0], ends[1])
    guard let bytes else { return }
    #expect(unsafe write(writer, bytes, bytes.count) == bytes.count)
    close(writer)
  }

  var path: String { "/dev/fd/\(reader)" }

  /// Returns the written text.
  func text() -> String {
    close(writer)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(reader, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  func abandon() {
    close(reader)
    reader = -1
  }

  deinit {
    if reader >= 0 { close(reader) }
  }
}

/// Returns the output for a log.
func output(of sink: some DecodeSink, _ text: String) throws -> String {
  let (text, failure) = try decode(Array(text.utf8), sink)
  if let failure { throw failure }
  return text
}

/// Returns the output and the error.
private func decode(_ bytes: [UInt8], _ sink: some DecodeSink) throws -> (text: String, failure: FileError?) {
  let (input, output) = (Pipe(bytes), Pipe())
  var sink = sink
  var decoder = FileDecoder(try InputFile(input.path), output: OutputStream(output.writer))
  do throws(FileError) {
    try decoder.run(&sink)
  } catch {
    var failure = error
    // The name differs in each run.
    failure.name = "it"
    return (output.text(), failure)
  }
  return (output.text(), nil)
}

@Test func `a pipe gives a line for each epoch with a fix, with its quality`() throws {
  let lines = try output(of: FixOutput(.json), log).split(separator: "\n")
  #expect(lines.count == 2)
  #expect(lines.first?.hasPrefix(#"{"time":"2026-11-21T07:31:34.000Z","lat":47.376888,"lon":8.541694,"hacc":"#) == true)
  #expect(lines.first?.hasSuffix(#""quality":"simulator"}"#) == true)
  #expect(lines.allSatisfy { !$0.contains("age_ms") && $0.contains(#""accuracy":"full""#) })
}

@Test func `an epoch without a fix interrupts a track`() throws {
  #expect(try output(of: FixOutput(.gpx), log).ranges(of: "<trkseg>\n").count == 2)
}

@Test(arguments: [
  // The seconds between fixes, and the segments of the track.
  ([1, 1, 299], 1), ([1, 1, 301, 1], 2), ([600, 600, 6001, 600], 2), ([600, 600, 5999], 1), ([40, 390], 1),
  ([1, 3599, 3600, 1], 3),
])
func `a pause in which the receiver was off interrupts a track`(steps: [Int], segments: Int) throws {
  var (second, log) = (0, "")
  for step in [0] + steps {
    second += step
    let time = [second / 3600, second / 60 % 60, second % 60].map { ($0 < 10 ? "0" : "") + "\($0)" }.joined()
    log += nmeaSentence("GPRMC,\(time).00,A,4722.61328,N,00832.50164,E,0.0,,211126,,,A") + "\r\n"
  }
  #expect(try output(of: FixOutput(.gpx), log).ranges(of: "<trkseg>\n").count == segments)
}

@Test func `statistics are the whole output: one line of JSON, or tables with a heading and aligned counts`() throws {
  let counts = try output(of: StatisticsOutput(isJSON: true), log)
  #expect(counts.contains(#""epochs":3,"fixes":2,"#) && counts.split(separator: "\n").count == 1)
  let text = try output(of: StatisticsOutput(isJSON: false), log)
  #expect(text.hasPrefix("total\n") && text.contains("\n\ntalker\n"))
  let lines = text.split(separator: "\n")
  #expect(lines.filter { !$0.hasPrefix(" ") }.prefix(4) == ["total", "talker", "type", "talker and type"])
  #expect(lines.filter { $0.hasPrefix(" ") }.allSatisfy { $0.count == 44 })
  #expect(lines.contains("  GP\(String(repeating: " ", count: 39))5"))
}

@Test func `a closed pipe ends the decoding without an error`() throws {
  let (input, output) = (Pipe(Array(log.utf8)), Pipe())
  output.abandon()
  var sink = FixOutput(.csv)
  var decoder = FileDecoder(try InputFile(input.path), output: OutputStream(output.writer))
  try decoder.run(&sink)
  close(output.writer)
}

@Test func `a file that cannot be read or written is an error with a remedy of its own`() {
  for (path, read, write) in [
    (
      "/nowhere/at/all", "no such file or directory (check the path; - reads standard input)",
      "no such file or directory (create its folder)"
    ), ("/", "is a directory (use one of its files)", "is a directory (add the name of a file)"),
  ] {
    let unread = #expect(throws: FileError.self) { try InputFile(path).size }
    #expect(unread?.description == "cannot \(path == "/" ? "read" : "open") \(path): \(read)" && unread?.status == 66)
    let unwritten = #expect(throws: FileError.self) { try OutputStream.makeFile(of: "text", at: path, mode: 0o600) }
    #expect(unwritten?.description == "cannot write \(path): \(write)" && unwritten?.status == 74)
  }
  for (count, words) in [(1, "1 sentence has a correct checksum"), (2, "2 sentences have correct checksums")] {
    let error = FileError("decode", "log.nmea", .rejected(sentences: count, most: "GGA field 2"))
    #expect(error.description.contains(words) && error.description.contains("most often GGA field 2"))
  }
  let text = "cannot write report.html: permission denied (check the permissions of the file and its folder)"
  #expect(FileError("write", "report.html", EACCES).description == text, "no serial port is named")
}

@Test(arguments: [
  ["--stats", "--format", "csv", "-"], ["--stats", "--format", "gpx", "-"], ["--format", "xml", "-"], [],
])
func `conflicting options are refused`(arguments: [String]) {
  #expect(throws: (any Error).self) { try Decode.parse(arguments) }
}

/// A NAV-PVT message at 12:00:`second` on 2026-11-21.
private func solution(_ second: Int) -> [UInt8] {
  var payload = [UInt8](repeating: 0, count: 92)
  func put(_ value: Int, _ bytes: Int, at offset: Int) {
    for index in 0..<bytes { payload[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * index)) }
  }
  for (offset, bytes, value) in [
    (0, 4, 561_600_000 + second * 1000), (4, 2, 2026), (6, 1, 11), (7, 1, 21), (8, 1, 12), (10, 1, second), (11, 1, 7),
    (20, 1, 3), (21, 1, 1), (23, 1, 9), (24, 4, 85_416_940), (28, 4, 473_768_880), (36, 4, 408_200), (40, 4, 2100),
  ] { put(value, bytes, at: offset) }
  return UBXFrame.encode(.navPVT, payload)
}

@Test func `UBX alone gives a fix for each epoch`() throws {
  let bytes = (0..<3).flatMap { solution($0) + UBXFrame.encode(.navEOE, Array(repeating: 0, count: 4)) }
  let lines = try decode(bytes, FixOutput(.json)).text.split(separator: "\n")
  #expect(lines.count == 3)
  #expect(lines.last?.hasPrefix(#"{"time":"2026-11-21T12:00:02.000Z","lat":47.376888,"lon":8.541694,"#) == true)
}

@Test func `sentences and UBX of the same epoch give one fix`() throws {
  let bytes = (0..<5).flatMap { second in
    solution(second) + Array(nmeaSentence("GPGLL,4722.6,N,00832.5,E,12000\(second).00,A,A").utf8)
  }
  let (text, failure) = try decode(bytes, FixOutput(.json))
  let times = text.split(separator: "\n").map { $0.prefix(33).suffix(13) }
  #expect(times == (0..<5).map { "12:00:0\($0).000Z" })
  #expect(failure == nil)
  let counts = try decode(bytes, StatisticsOutput(isJSON: true)).text
  #expect(counts.contains(#""ubx_frames":5,"rtcm3_frames":0,"errors":0,"epochs":5,"fixes":5,"#))
  #expect(counts.contains(#""by_ubx_message":{"NAV-PVT":5}"#))
}

// MARK: Missing data

private func noFrame(_ bytes: Int) -> String {
  "no sentence and no frame with a correct checksum in \(bytes) bytes (it must be NMEA 0183, UBX or RTCM 3, recorded "
    + "at the right speed; onefix decode has --stats, and --no-checksum for NMEA without checksums)"
}

@Test(arguments: [
  ("", 65 as Int32, "the file is empty"), ("no receiver\n", 65, noFrame(12)),
  ("$GPGGA,120000,4722.0,N,00832.0,E,1,08,1.0,400.0,M,46.9,M,,\r\n", 65, noFrame(60)),
  (
    nmeaSentence("GPGGA,073135.00,,,,,0,,,,,,,,"), 6, "1 epochs, none with a position (--stats lists its contents)"
  ), (nmeaSentence("GPHDT,1.5,T"), 6, "no message contains a position (--stats lists its contents)"),
])
func `a file without a fix gives a complete document and an error`(text: String, status: Int32, cause: String) throws {
  let (document, failure) = try decode(Array(text.utf8), FixOutput(.geojson))
  #expect(document.hasSuffix("]}\n"))
  #expect(failure?.status == status && failure?.description == "cannot decode it: \(cause)")
  #expect(try decode(Array(text.utf8), StatisticsOutput(isJSON: true)).failure == nil)
}

// MARK: Progress

/// A terminal with a program that writes to it.
private final class OpenTerminal {
  let slave: Int32
  private let terminal: PseudoTerminal

  init() throws {
    terminal = try PseudoTerminal()
    slave = unsafe open(terminal.path, O_RDWR | O_NOCTTY)
    try #require(slave >= 0)
  }

  deinit { close(slave) }

  /// Returns whether the program has written a text. The kernel passes the text on with a delay, so the function waits
  /// for as many bytes.
  func shows(_ text: String) -> Bool {
    var bytes = terminal.receive()
    while bytes.count < text.utf8.count {
      var event = pollfd(fd: terminal.master, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&event, 1, 10_000) == 1 else { return false }
      bytes += terminal.receive()
    }
    return bytes == Array(text.utf8)
  }
}

private func at(_ milliseconds: Int64) -> MonotonicInstant {
  MonotonicInstant(nanoseconds: milliseconds * 1_000_000)
}

@Test func `a large file has a progress bar on a terminal, which is removed at the end`() throws {
  let (terminal, output) = (try OpenTerminal(), Pipe())
  let size = 100_000_000
  var bar = try #require(ProgressBar(size: size, at: at(0), errors: terminal.slave, output: output.writer))
  bar.advance(to: 1_000_000, at: at(99))
  #expect(terminal.shows(""))
  bar.advance(to: 25_000_000, at: at(500))
  #expect(terminal.shows("\r[##########------------------------------] 25 %, 25 of 100 MB, 50 MB/s\u{1B}[K"))
  bar.advance(to: 26_000_000, at: at(599))
  #expect(terminal.shows(""))
  bar.clear()
  bar.clear()
  #expect(terminal.shows("\r\u{1B}[K"))
}

@Test func `a progress bar is shown only for large files, and only if it does not mix with the output`() throws {
  let (terminal, pipe) = (try OpenTerminal(), Pipe())
  let large = ProgressBar.largeSize
  for (size, errors, output) in [
    (nil, terminal.slave, pipe.writer), (large - 1, terminal.slave, pipe.writer), (large, pipe.writer, pipe.writer),
    (large, terminal.slave, terminal.slave),
  ] {
    #expect(ProgressBar(size: size, at: at(0), errors: errors, output: output) == nil)
  }
}

/// A gateway that sends pages of 2,000 entries.
private struct LongLog: OwnerGateway {
  func perform(_ command: Command) async throws -> (fields: ServerLine.Fields, messages: [ServerLine.Message]) {
    ([:], Array(repeating: ServerLine.Message(topic: "owner/log", sid: "-", json: "{}"), count: 2000))
  }

  func pause() async throws {}
}

@Test func `the number of entries of a long log is shown on a terminal, unless it mixes with the output`() async throws
{
  let (terminal, pipe) = (try OpenTerminal(), Pipe())
  for (output, isShown) in [(nil, true), (pipe.writer, true), (terminal.slave, false)] as [(Int32?, Bool)] {
    let log = EntryProgress(LongLog(), errors: terminal.slave, output: output)
    for _ in 1...10 { _ = try await log.perform(.status) }
    log.clear()
    #expect(terminal.shows(isShown ? "\r20000 entries\u{1B}[K\r\u{1B}[K" : ""))
  }
}
