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
    _ = try await decode.output.first("a point of the track") { received in
      received.lines.first { $0.hasPrefix("<trkpt") }
    }
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
    _ = try await decode.output.first("a point of the track") { received in
      received.lines.first { $0.hasPrefix("<trkpt") }
    }
    decode.kill(SIGINT)
    let finished = try await decode.finish()
    #expect(finished.end == .exit(130))
    #expect(finished.output.last == "</gpx>")
    #expect(finished.errors == [])
  }

  @Test func `a reader that closes the pipe ends the command without a message`() async throws {
    let path = try folder.write(RecordedLog.walk(seconds: 5000), to: "walk.nmea")
    let script = "set -o pipefail; \"$0\" decode \"$1\" | head -n 1"
    let finished = try await Child("bash", ["-c", script, Program.onefix, path]).finish()
    #expect(finished.end == .exit(0))
    #expect(finished.output.count == 1)
    #expect(finished.errors == [])
  }

  @Test func `input that is unreadable or has no fix has its own exit status`() async throws {
    let rejected = (0..<3).map { nmeaSentence("IIGGA,12000\($0),4722.1,N,00832.5,E,DGNSS fix,8,1,0,M,0,M,,") }
    let strange = try folder.write(rejected.joined(), to: "strange")
    let others = nmeaSentence("GPGSA,A,3,01,,,,,,,,,,,,1.5,1.5,1.5") + nmeaSentence("GPZDA,120000,21,11,2026,,")
    let beside = try folder.write(rejected.joined() + others, to: "beside")
    let damaged = try folder.write(RecordedLog.withoutFix(seconds: 3) + rejected[0], to: "damaged.nmea")
    let cases: [(String, Int32, String)] = [
      (folder.path("absent"), 66, "no such file or directory"),
      (strange, 65, "3 sentences have correct checksums, and a time, position or status that cannot be read, most"),
      (beside, 65, "3 sentences have correct checksums, and a time, position or status that cannot be read, most"),
      (damaged, 6, "3 epochs, none with a position"),
    ]
    for (path, status, message) in cases {
      let finished = try await Child(Program.onefix, ["decode", path]).finish()
      #expect(finished.end == .exit(status), "\(path)")
      #expect(finished.output == [])
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

  @Test func `a compressed recording from the standard input is refused with a command that decodes it`() async throws {
    let path = try folder.write(RecordedLog.walk(seconds: 30), to: "walk.nmea")
    let plain = try await Child(Program.onefix, ["decode", path]).finish()
    #expect(try await Child("gzip", [path]).finish().end == .exit(0))
    func run(_ end: String) async throws -> Finished {
      try await Child("bash", ["-c", "cat \"$1\" | \(end)", Program.onefix, "\(path).gz"]).finish()
    }
    let remedy = "zcat | onefix decode -"
    let refused = try await run("\"$0\" decode -")
    #expect(refused.end == .exit(65) && refused.output == [])
    #expect(
      refused.errors == [
        "onefix: cannot read the standard input: it is compressed with gzip (decompress it: \(remedy))"
      ])
    #expect(try await run(remedy.replacing("onefix", with: "\"$0\"")).output == plain.output)
  }
}
