import Glibc
import OperatingSystem
import Synchronization
import TemporaryFiles
import Testing

@testable import Features

@Suite struct PINHashTests {
  /// PBKDF2-HMAC-SHA-256 of "passwd" with the salt "salt", 1 round (RFC 7914 §11); the vectors with a salt of 8 bytes
  /// or more are from Python's hashlib.pbkdf2_hmac.
  @Test func `the hash is PBKDF2 with HMAC-SHA-256`() throws {
    let hash = try PINHash("passwd", salt: Array("salt".utf8), rounds: 1)
    #expect(
      "\(hash)" == "pbkdf2-sha256 1 73616c74 55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc")
  }

  @Test func `only the hashed PIN matches`() throws {
    let hash = try PINHash("2580", rounds: 100)
    #expect(hash.matches("2580"))
    for other in ["", "2581", "258", "25800", "2580 ", "\u{FF12}580"] { #expect(!hash.matches(other)) }
    #expect("\(hash)" != "\(try PINHash("2580", rounds: 100))")
    let read = try #require(PINHash("\(hash)\n"))
    #expect(read == hash && read.matches("2580"))
  }

  @Test(arguments: ["", "123", String(repeating: "1", count: 33), "12 34", "1234\n", "123\u{7F}", "１２３４", "pässword"])
  func `a PIN has 4 to 32 printable ASCII characters, which can be typed on every terminal`(pin: String) {
    #expect(throws: PINError.unsuitable) { _ = try PINHash(pin, rounds: 1) }
    #expect(PINHash.isSuitable("!~!~") && PINHash.isSuitable(String(repeating: "!~", count: 16)))
  }

  @Test func `a hash has at most 10 million rounds, a salt of at least 8 bytes, and 32 bytes`() {
    let texts = [(10_000_000, 8, 32), (10_000_001, 8, 32), (1, 7, 32), (1, 8, 31), (1, 8, 33)].map {
      "pbkdf2-sha256 \($0) \(String(repeating: "0a", count: $1)) \(String(repeating: "0b", count: $2))"
    }
    #expect(texts.map { PINHash($0) != nil } == [true, false, false, false, false])
    let hash = "0011223344556677 " + String(repeating: "0b", count: 32)
    for text in [
      "", "2580", "pbkdf2-sha256", "pbkdf2-sha256 0 \(hash)", "md5 1 \(hash)", "pbkdf2-sha256 1 zz\(hash)",
      "pbkdf2-sha256 99999999999 \(hash)",
    ] {
      #expect(PINHash(text) == nil, "\(text)")
    }
  }

  @Test func `the file is private to its owner, and a file that others can access is refused`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("console.pin")
    #expect(throws: PINError.unreadable(path: path, cause: "no such file or directory")) { _ = try PINFile.read(path) }
    let hash = try PINHash("2580", rounds: 1)
    try PINFile.write(try PINHash("1111", rounds: 1), to: path)
    let steps = Mutex<[FileStep]>([])
    let observer = FileObserver { step in
      steps.withLock { $0.append(step) }
      return 0
    }
    try FileObserver.$present.withValue(observer) { try PINFile.write(hash, to: path) }
    // The new PIN is on the disk before the command succeeds.
    #expect(
      steps.withLock { Array($0.suffix(3)) }
        == [.synchronize("\(path).new"), .rename(from: "\(path).new", to: path), .synchronizeDirectory(folder.path)])
    #expect(try folder.mode("console.pin") == 0o600 && PINFile.read(path) == hash)
    for mode in [0o640, 0o604, 0o660, 0o700 | 0o001] as [mode_t] {
      #expect(unsafe chmod(path, mode) == 0)
      #expect(throws: PINError.exposed(path: path)) { _ = try PINFile.read(path) }
    }
    #expect(unsafe chmod(path, 0o600) == 0)
    #expect(unsafe truncate(path, 10) == 0)
    #expect(throws: PINError.malformed(path: path)) { _ = try PINFile.read(path) }
    #expect(throws: PINError.self) { try PINFile.write(hash, to: folder.path("nowhere/pin")) }
  }
}
