import Base
import Foundation
import Glibc
import Sentences
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DecodeTests {
  private let folder: Folder

  init() throws { folder = try Folder() }

  @Test(arguments: [
    ("gpx", ["-t", "-i", "gpx"]), ("kml", ["-i", "kml"]), ("geojson", ["-i", "geojson"]),
  ])
  func `another program reads the same points from each kind of track`(format: String, reader: [String]) async throws {
    let log = RecordedLog.walk(seconds: 40)
    let path = try folder.write(log, to: "walk.nmea")
    let track = try await Child(Program.onefix, ["decode", "--format", format, path]).finish()
    #expect(track.end == .exit(0))
    let document = try folder.write(track.output.joined(separator: "\n") + "\n", to: "walk.\(format)")
    let table = folder.path("walk.csv")
    let received = try await Child("gpsbabel", reader + ["-f", document, "-o", "unicsv", "-F", table]).finish()
    #expect(received.end == .exit(0), "\(received.errors)")
    let rows = try String(contentsOfFile: table, encoding: .utf8).split(whereSeparator: \.isNewline)
    let heads = try #require(rows.first).split(separator: ",")
    let (latitude, longitude) = (
      try #require(heads.firstIndex(of: "Latitude")), try #require(heads.firstIndex(of: "Longitude"))
    )
    let points = rows.dropFirst().map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let expected = RecordedLog.positions(in: log)
    #expect(points.count == expected.count)
    for (point, position) in zip(points, expected) {
      #expect(abs((Double(point[latitude]) ?? .nan) - position.latitude) < 1e-6)
      #expect(abs((Double(point[longitude]) ?? .nan) - position.longitude) < 1e-6)
    }
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func `decoding of live input ends with a signal, and the document is complete`(signal: Int32) async throws {
    let decode = try Child(Program.onefix, ["decode", "--format", "gpx", "-"])
    decode.write(Array(RecordedLog.walk(seconds: 5).utf8))
    try await decode.printed("<trkpt")
    decode.kill(signal)
    let finished = try await decode.finish()
    #expect(finished.end == .exit(0))
    #expect(finished.output.last == "</gpx>")
    #expect(finished.output.filter { $0.hasPrefix("<trkpt") }.count == 5)
  }

  @Test func `an interrupted recording gives a well-formed document with a note that it is incomplete`() async throws {
    let path = try folder.write(RecordedLog.walk(seconds: 2000), to: "endless.nmea")
    // The rest of the file is a hole of zeros, which takes minutes to read.
    #expect(unsafe truncate(path, 1 << 40) == 0)
    let decode = try Child(Program.onefix, ["decode", "--format", "gpx", path])
    try await decode.printed("<trkpt")
    decode.kill(SIGINT)
    let finished = try await decode.finish()
    #expect(finished.end == .exit(130))
    #expect(finished.output.last == "</gpx>")
    #expect(finished.errors == [])
  }

  @Test func `sentences whose values cannot be read are the cause, also beside other sentences`() async throws {
    let rejected = (0..<3).map { nmeaSentence("IIGGA,12000\($0),4722.1,N,00832.5,E,DGNSS fix,8,1,0,M,0,M,,") }.joined()
    let others = nmeaSentence("GPGSA,A,3,01,,,,,,,,,,,,1.5,1.5,1.5") + nmeaSentence("GPZDA,120000,21,11,2026,,")
    let message = "3 sentences have correct checksums, and a time, position or status that cannot be read, most"
    for text in [rejected, rejected + others] {
      let finished = try await Child(Program.onefix, ["decode", try folder.write(text, to: "log.nmea")]).finish()
      #expect(finished.end == .exit(65) && finished.output == [])
      #expect(finished.errors.count == 1 && finished.errors[0].contains(message), "\(finished.errors)")
    }
  }

  @Test func `sentences without a checksum are read only with --no-checksum`() async throws {
    let whole = RecordedLog.walk(seconds: 30)
    let bare = whole.replacing(/\*[0-9A-F]{2}/, with: "")
    let (path, former) = (try folder.write(bare, to: "bare.nmea"), try folder.write(whole, to: "whole.nmea"))
    let refused = try await Child(Program.onefix, ["decode", path]).finish()
    #expect(refused.end == .exit(65) && refused.errors.first?.contains("--no-checksum") == true)
    let read = try await Child(Program.onefix, ["decode", "--no-checksum", path]).finish()
    #expect(!read.output.isEmpty)
    #expect(read.output == (try await Child(Program.onefix, ["decode", former]).finish().output))
  }

  @Test(arguments: ["walk.nmea", "a walk's log.nmea"])
  func `a compressed recording is refused with a command that decodes it`(name: String) async throws {
    let path = try folder.write(RecordedLog.walk(seconds: 30), to: name)
    let plain = try await Child(Program.onefix, ["decode", path]).finish()
    #expect(try await Child("gzip", [path]).finish().end == .exit(0))
    let refused = try await Child(Program.onefix, ["decode", "\(path).gz"]).finish()
    #expect(refused.end == .exit(65) && refused.output == [])
    let word = name.contains("'") ? "'\(path.replacing("'", with: #"'\''"#)).gz'" : "\(path).gz"
    let remedy = "zcat \(word) | onefix decode -"
    #expect(refused.errors == ["onefix: cannot read \(path).gz: it is compressed with gzip (decompress it: \(remedy))"])
    let script = remedy.replacing("| onefix", with: "| \"$0\"")
    #expect(try await Child("bash", ["-c", script, Program.onefix]).finish().output == plain.output)
    func run(_ end: String) async throws -> Finished {
      try await Child("bash", ["-c", "cat \"$1\" | \(end)", Program.onefix, "\(path).gz"]).finish()
    }
    let piped = try await run("\"$0\" decode -")
    let cause = "cannot read the standard input: it is compressed with gzip (decompress it: zcat | onefix decode -)"
    #expect(piped.end == .exit(65) && piped.output == [] && piped.errors == ["onefix: \(cause)"])
    #expect(try await run("zcat | \"$0\" decode -").output == plain.output)
  }

  @Test(arguments: [("FD377A585A00", "xz", "xzcat"), ("28B52FFD", "zstd", "zstdcat"), ("425A68", "bzip2", "bzcat")])
  func `the error about a compressed recording names the program that decompresses its format`(
    start: String, format: String, program: String
  ) async throws {
    let path = folder.path("walk")
    try Data(try #require([UInt8](hexadecimal: start)) + [1, 2, 3]).write(to: URL(filePath: path))
    let refused = try await Child(Program.onefix, ["decode", path]).finish()
    #expect(
      refused.errors.first?.contains("with \(format) (decompress it: \(program) \(path) | onefix decode -)") == true)
  }
}
