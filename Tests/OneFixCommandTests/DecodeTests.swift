import ArgumentParser
import Glibc
import NMEA
import Testing
import TrackFormats

@testable import onefix

private func sentence(_ content: String) -> String {
  let sum = content.utf8.reduce(0, ^)
  return "$\(content)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\r\n"
}

/// Two epochs with a fix, and one between them without.
private let log =
  sentence("GPGGA,073134.00,4722.61328,N,00832.50164,E,8,11,0.70,408.2,M,46.9,M,,")
  + sentence("GPRMC,073134.00,A,4722.61328,N,00832.50164,E,0.0,,211126,,,S")
  + sentence("GPGGA,073135.00,,,,,0,,,,,,,,") + sentence("GPRMC,073135.00,V,,,,,,,211126,,,N")
  + sentence("GPRMC,073136.00,A,4722.61328,N,00832.50164,E,0.0,,211126,,,A")

/// A pipe that holds the text and has no writer any more, as a path.
private final class Pipe {
  private(set) var reader: Int32
  let writer: Int32

  init(_ text: String = "") {
    var ends: [Int32] = [0, 0]
    #expect(unsafe pipe(&ends) == 0)
    (reader, writer) = (ends[0], ends[1])
    if text.isEmpty { return }
    let bytes = Array(text.utf8)
    #expect(unsafe write(writer, bytes, bytes.count) == bytes.count)
    close(writer)
  }

  var path: String { "/dev/fd/\(reader)" }

  /// What was written into it.
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

private func output(of sink: some DecodeSink, _ text: String) throws -> String {
  let (input, output) = (Pipe(text), Pipe())
  var sink = sink
  var decoding = Decoding(try InputFile(input.path), output: OutputStream(output.writer))
  try decoding.run(&sink)
  return output.text()
}

@Test func `a pipe gives a line for each epoch with a fix, with its quality`() throws {
  let lines = try output(of: FixOutput(.json), log).split(separator: "\n")
  #expect(lines.count == 2)
  #expect(lines.first?.hasPrefix(#"{"time":"2026-11-21T07:31:34.000Z","lat":47.376888,"lon":8.541694,"hacc":"#) == true)
  #expect(lines.first?.hasSuffix(#""quality":"simulator"}"#) == true)
  #expect(lines.allSatisfy { !$0.contains("age_ms") && $0.contains(#""accuracy":"full""#) })
}

@Test func `an epoch without a fix parts a track`() throws {
  let track = try output(of: FixOutput(.gpx), log)
  #expect(track.split(separator: "\n").filter { $0 == "<trkseg>" }.count == 2)
}

@Test func `sentences and errors are listed as they come`() throws {
  let lines = try output(of: SentenceOutput(), "$GPGGA,1*00\r\n" + log).split(separator: "\n")
  #expect(lines.count == 6)
  #expect(lines.first?.hasPrefix(#"{"error":"checksum-mismatch""#) == true)
}

@Test func `statistics are the whole output`() throws {
  let counts = try output(of: StatisticsOutput(isJSON: true), log)
  #expect(counts.contains(#""epochs":3,"fixes":2,"#))
  #expect(counts.split(separator: "\n").count == 1)
}

@Test func `a reader that is gone ends the work without an error`() throws {
  let (input, output) = (Pipe(log), Pipe())
  output.abandon()
  var sink = FixOutput(.csv)
  var decoding = Decoding(try InputFile(input.path), output: OutputStream(output.writer))
  try decoding.run(&sink)
  close(output.writer)
}

@Test(arguments: [
  (
    "/nowhere/at/all",
    "cannot open /nowhere/at/all: no such file or directory (is the path right? - reads the standard input)"
  ),
  ("/", "cannot read /: it is a directory (name one of its files)"),
])
func `a file that cannot be had is an error with a remedy`(path: String, text: String) {
  do throws(FileError) {
    let file = try InputFile(path)
    Issue.record("\(path) of \(file.size ?? 0) bytes was opened")
  } catch {
    #expect(error.description == text)
    #expect(error.status == 66)
  }
}

@Test(arguments: [
  ["--stats", "--sentences", "-"], ["--sentences", "--format", "csv", "-"], ["--stats", "--format", "gpx", "-"],
  ["--format", "xml", "-"], [],
])
func `options that contradict each other are refused`(arguments: [String]) {
  #expect(throws: (any Error).self) { try Decode.parse(arguments) }
}
