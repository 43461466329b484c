import ArgumentParser
import Clocks
import Cloaking
import FoundationEssentials
import GNSS
import Glibc

/// The cloak under attack: places in, what an app with reduced accuracy would be told out.
struct LabCloak: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cloak", abstract: "Say what apps with reduced accuracy would be told of places.",
    discussion: """
      Reads lines from the standard input. P LATITUDE LONGITUDE SECONDS is a place and the time at which it is asked for; \
      the answer is one line, LATITUDE LONGITUDE RADIUS. R starts the device anew, with the memory that it keeps, and has \
      no answer. Degrees, metres; the seconds count from 1970 and never go back.

      The key is made of CLOAK_SEED in the environment, so that the same seed gives the same answers; without it, it is \
      random.

      Exit status: 0, 64 usage, 65 a line that is neither.
      """)

  func run() throws {
    let seed = ProcessInfo.processInfo.environment["CLOAK_SEED"].map { Array($0.utf8) }
    var device = try CloakedDevice(seed: seed ?? [])
    var number = 0
    while let line = readLine() {
      number += 1
      do throws(CloakedDevice.BadLine) {
        guard let answer = try device.take(line) else { continue }
        print(answer)
        // Who asks waits for it.
        fflush(nil)
      } catch {
        say("onefix: line \(number): \(error)")
        throw ExitCode(65)
      }
    }
  }
}

/// A device with a cloak, that lives by the lines it is told.
struct CloakedDevice {
  struct BadLine: Error, Equatable, CustomStringConvertible {
    let description = "must be P LATITUDE LONGITUDE SECONDS, or R"
  }

  private let key: CloakKey
  private var cloak: Cloak

  /// - Parameter seed: repeated until it fills a key; where it is empty, the key is random.
  init(seed: [UInt8]) throws(CloakKeyError) {
    var random = SystemRandomNumberGenerator()
    key = try CloakKey(
      deviceKey: (0..<32).map { seed.isEmpty ? UInt8.random(in: 0...255, using: &random) : seed[$0 % seed.count] })
    cloak = Cloak(key: key, memory: Cloak.Memory())
  }

  /// - Returns: the answer, where the line asks for one.
  mutating func take(_ line: String) throws(BadLine) -> String? {
    let words = line.split(whereSeparator: \.isWhitespace)
    if words == ["R"] {
      guard let memory = Cloak.Memory(encoded: cloak.memory.encoded()) else {
        preconditionFailure("the cloak cannot read what it wrote")
      }
      cloak = Cloak(key: key, memory: memory)
      return nil
    }
    guard words.count == 4, words[0] == "P", let latitude = Double(words[1]), let longitude = Double(words[2]),
      let seconds = Double(words[3]), let nanoseconds = Int64(exactly: (seconds * 1e9).rounded()),
      let coordinate = Coordinate(latitude: latitude, longitude: longitude)
    else { throw BadLine() }
    let fix = cloak.reduce(
      coordinate, at: MonotonicInstant(nanoseconds: nanoseconds), utc: UTCTime(nanosecondsSince1970: nanoseconds))
    return "\(fix.latitude) \(fix.longitude) \(fix.horizontalAccuracy)"
  }
}
