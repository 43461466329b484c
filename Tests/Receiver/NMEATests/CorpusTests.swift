import Decoding
import FoundationEssentials
import GNSS
import Repository
import Sentences
import Testing

@Test(arguments: Corpus.all)
func `a receiver's log decodes to the expected epochs, in chunks of any size`(corpus: Corpus) throws {
  let bytes = try corpus.bytes()
  let expected = try corpus.expected()
  for chunk in [Int.max, 1, 2, 3, 5, 7, 13, 64, 100, 255, 509, 1024] {
    let recorder = decode(bytes, chunk: chunk)
    #expect(recorder.errors == [])
    #expect(recorder.epochs.map(describe) == expected)
  }
}

@Test(arguments: Corpus.all)
func `learning the end of epochs changes their time, not their contents`(corpus: Corpus) throws {
  var configuration = NMEAConfiguration.replay
  configuration.learnsEnd = true
  let recorder = decode(try corpus.bytes(), configuration)
  let expected = try corpus.expected()
  #expect(recorder.epochs.count == expected.count)
  // Late satellites belong to the next epoch, in logs with satellites in every fifth epoch.
  func withoutSatellites(_ line: String) -> String { line.split(separator: " ").dropLast(2).joined(separator: " ") }
  #expect(recorder.epochs.map(describe).map(withoutSatellites) == expected.map(withoutSatellites))
}

/// Returns the positions in a log. Binary frames of the mixed log contain a complete sentence, which the decoder finds
/// if such a frame is damaged.
private func positions(in corpus: Corpus) throws -> Set<Coordinate> {
  var positions = Set(decode(try corpus.bytes()).epochs.compactMap(\.coordinate))
  if corpus.name == "mixed", let decoy = Coordinate(latitude: 1, longitude: 2) { positions.insert(decoy) }
  return positions
}

@Test(arguments: Corpus.all)
func `a log that ends or begins anywhere contains no other positions`(corpus: Corpus) throws {
  let bytes = Array(try corpus.bytes().prefix(2500))
  let whole = try positions(in: corpus)
  for cut in bytes.indices {
    for part in [bytes[..<cut], bytes[cut...]] {
      #expect(whole.isSuperset(of: decode(Array(part)).epochs.compactMap(\.coordinate)), "byte \(cut)")
    }
  }
}

@Test(arguments: Corpus.all)
func `a flipped bit creates no position and has no effect on the next sentence`(corpus: Corpus) throws {
  let all = try corpus.bytes()
  let positions = try positions(in: corpus)
  // The last epoch follows the damage, so it must be the same as without the damage.
  let head = Array(all.prefix(min(700, all.count / 2)))
  let tail = Array(all.suffix(min(900, all.count - head.count)))
  let last = decode(tail).epochs.last
  for index in head.indices {
    for bit in 0..<8 {
      var bytes = head
      bytes[index] ^= 1 << bit
      let recorder = decode(bytes + tail)
      #expect(positions.isSuperset(of: recorder.epochs.compactMap(\.coordinate)))
      if let last { #expect(recorder.epochs.last?.coordinate == last.coordinate) }
      #expect(recorder.epochs.last?.timeOfDay == last?.timeOfDay)
    }
  }
}

@Test(
  .enabled(if: !Repository.recordedLogs.isEmpty, "no recorded logs beside the repository"),
  arguments: Repository.recordedLogs)
func `a recorded log has one epoch for each of its times`(log: String) throws {
  let bytes = Array(try Data(contentsOf: URL(filePath: log)))
  var times: [Substring] = []
  var damaged = 0
  for text in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
    guard nmeaSentence(String(text.dropFirst().dropLast(3))).hasPrefix(text) else {
      damaged += 1
      continue
    }
    let fields = text.split(separator: ",", omittingEmptySubsequences: false)
    let index = fields[0].hasSuffix("GLL") ? 5 : fields[0].hasSuffix("RMC") || fields[0].hasSuffix("GGA") ? 1 : 0
    if index > 0, times.last != fields[index] { times.append(fields[index]) }
  }
  let recorder = decode(bytes)
  #expect(recorder.errors.count == damaged)
  #expect(recorder.epochs.count == times.count)
  #expect(recorder.epochs.allSatisfy { $0.coordinate != nil && $0.time != nil })
}
