import ArgumentParser
import Base
import Cloaking
import GNSS
import OperatingSystem

/// The command `onefix lab cloak`. The command reads exact positions, and prints the approximate positions that apps
/// with reduced accuracy would receive.
struct LabCloak: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cloak", abstract: "Show the approximate positions that apps with reduced accuracy would receive.",
    discussion: """
      Reads lines from the standard input. P LATITUDE LONGITUDE SECONDS is a position and the time of the request; \
      the output is one line, LATITUDE LONGITUDE RADIUS. R simulates a restart with the stored memory, and has \
      no output. Units are degrees and metres; the seconds count from 1970 and never decrease.

      The environment variable CLOAK_SEED determines the key, so the same seed gives the same output. Without it, the \
      key is random.

      Exit status: 0, 64 usage, 65 invalid line, 74 cannot write the output.
      """)

  func run() throws {
    let seed = environmentVariable("CLOAK_SEED").map { Array($0.utf8) }
    var device = try CloakedDevice(seed: seed ?? [])
    var number = 0
    while let line = readLine() {
      number += 1
      let answer: String?
      do throws(CloakedDevice.BadLine) {
        answer = try device.process(line)
      } catch {
        printError("onefix: line \(number): \(error)")
        throw ExitCode(65)
      }
      if let answer { try printLine(answer) }
    }
  }
}

/// A simulated gateway that converts exact positions to approximate ones. Each text line of input is a position, or a
/// restart of the gateway.
struct CloakedDevice {
  struct BadLine: Error, Equatable, CustomStringConvertible {
    let description = "must be P LATITUDE LONGITUDE SECONDS, or R"
  }

  private let key: CloakKey
  private var cloak: Cloak
  /// The identifier of the machine's boot. The value is constant, because only the simulated gateway restarts, and not
  /// its machine.
  private static let boot = "simulated"

  /// Creates a simulated gateway with a secret key.
  /// - Parameter seed: The bytes of the key, repeated up to 32 bytes. If empty, the key is random.
  init(seed: [UInt8]) throws(CloakKeyError) {
    var random = SystemRandomNumberGenerator()
    key = try CloakKey(
      deviceKey: (0..<32).map { seed.isEmpty ? UInt8.random(in: 0...255, using: &random) : seed[$0 % seed.count] })
    cloak = Cloak(key: key, memory: Cloak.Memory(), boot: Self.boot)
  }

  /// Processes one text line of input. Returns the approximate position as text; nil after a restart (`R`).
  /// - Throws: `BadLine` if the text line is invalid.
  mutating func process(_ line: String) throws(BadLine) -> String? {
    let words = line.split(whereSeparator: \.isWhitespace)
    if words == ["R"] {
      guard let memory = Cloak.Memory(encoded: cloak.memory.encoded()) else {
        preconditionFailure("the cloak cannot read what it wrote")
      }
      cloak = Cloak(key: key, memory: memory, boot: Self.boot)
      return nil
    }
    guard words.count == 4, words[0] == "P", let latitude = Double(words[1]), let longitude = Double(words[2]),
      let seconds = Double(words[3]), let nanoseconds = Int64(exactly: (seconds * 1e9).rounded()),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { throw BadLine() }
    let fix = cloak.reduce(
      coordinate, at: MonotonicInstant(nanoseconds: nanoseconds), utc: UTCTime(nanosecondsSince1970: nanoseconds))
    guard let fix else { preconditionFailure("a machine that did not restart has an answer") }
    return "\(fix.latitude) \(fix.longitude) \(fix.horizontalAccuracy)"
  }
}
