package import Decoding
package import Base

/// The table of a decoder's counts, which can be written as text or JSON.
package struct StatisticsTable {
  private let statistics: Statistics
  private let frames: FrameCounts
  private let epochs: Int
  private let fixes: Int

  /// Creates the table.
  /// - Parameters:
  ///   - statistics: The counts of sentences and errors.
  ///   - frames: The counts of binary frames.
  ///   - epochs: The count of epochs (all data of one instant).
  ///   - fixes: The count of epochs with a position.
  package init(_ statistics: Statistics, frames: FrameCounts, epochs: Int, fixes: Int) {
    self.statistics = statistics
    self.frames = frames
    self.epochs = epochs
    self.fixes = fixes
  }

  private var totals: [(key: String, label: String, count: Int)] {
    [
      ("bytes", "bytes", statistics.bytes),
      ("skipped_bytes", "bytes in no frame", statistics.skippedBytes),
      ("sentences", "sentences read", statistics.sentences),
      ("ignored_sentences", "sentences of other types", statistics.ignoredSentences),
      ("late_sentences", "late or repeated sentences", statistics.lateSentences),
      ("ubx_frames", "UBX frames", statistics.ubxFrames),
      ("rtcm3_frames", "RTCM 3 frames", statistics.rtcm3Frames),
      ("errors", "errors", statistics.errorCount + frames.unreadable),
      ("epochs", "epochs", epochs),
      ("fixes", "fixes", fixes),
    ]
  }

  private var types: [(name: String, count: Int)] {
    SentenceType.allCases.map { ($0.description, statistics.count(of: $0)) }.filter { $0.1 > 0 }
  }

  private var causes: [(name: String, count: Int)] {
    let causes = NMEAError.Cause.allCases.map { (name: $0.name, count: statistics.count(of: $0)) }
    return (causes + [(name: "ubx-contents", count: frames.unreadable)]).filter { $0.count > 0 }
  }

  /// Returns the counts of invalid NMEA fields in sentences with a correct checksum.
  /// - Parameter discards: Whether to return the fields that made the whole sentence invalid, or all other invalid
  ///   fields.
  private func fields(discards: Bool) -> [(name: String, count: Int)] {
    statistics.fieldFaults.filter { $0.fault.discardsSentence == discards }.map { ($0.fault.description, $0.count) }
  }

  private var talkers: [(name: String, count: Int)] {
    statistics.talkers.map { ($0.talker.description, $0.count) }
  }

  private var others: [(name: String, count: Int)] {
    statistics.ignoredAddresses.map { ($0.address, $0.count) }
  }

  /// The counts of NMEA sentences, each with the talker and the type, as in `GP GGA`. A talker that is not a
  /// satellite receiver has one count for all types.
  private var sentences: [(name: String, count: Int)] {
    statistics.talkers.flatMap { talker, count in
      let types = SentenceType.allCases.map { type in
        (name: "\(talker) \(type)", count: statistics.count(of: type, from: talker))
      }.filter { $0.count > 0 }
      return types.isEmpty ? [(name: "\(talker)", count: count)] : types
    }
  }

  // MARK: Text

  package func writeText(to buffer: inout TextBuffer) {
    write("total", totals.map { ($0.label, $0.count) }, to: &buffer)
    write("talker", talkers, to: &buffer)
    write("type", types, to: &buffer)
    write("talker and type", sentences, to: &buffer)
    write("other types", others, to: &buffer)
    write("UBX message", frames.messages, to: &buffer)
    write("RTCM 3 message", frames.corrections, to: &buffer)
    write("error", causes, to: &buffer)
    write("checksum right, sentence rejected", fields(discards: true), to: &buffer)
    write("checksum right, field unknown", fields(discards: false), to: &buffer)
  }

  private func write(_ heading: String, _ rows: [(name: String, count: Int)], to buffer: inout TextBuffer) {
    if rows.isEmpty { return }
    if buffer.count > 0 { buffer.append(ascii: "\n") }
    buffer.append("\(heading)\n")
    for row in rows {
      let count = String(row.count)
      let gap = String(repeating: " ", count: max(2, 42 - row.name.count - count.count))
      buffer.append("  \(row.name)\(gap)\(count)\n")
    }
  }

  // MARK: JSON

  package func writeJSON(to buffer: inout TextBuffer) {
    buffer.beginObject()
    for total in totals { buffer.add(total.key, total.count) }
    for (key, rows) in [
      ("by_talker", talkers), ("by_type", types), ("by_talker_and_type", sentences), ("by_other_type", others),
      ("by_ubx_message", frames.messages), ("by_rtcm3_message", frames.corrections), ("by_error", causes),
      ("by_rejected_field", fields(discards: true)), ("by_unknown_field", fields(discards: false)),
    ] {
      buffer.begin(key)
      buffer.beginObject()
      for row in rows { buffer.add(row.name, row.count) }
      buffer.endObject()
    }
    buffer.endObject()
    buffer.append(ascii: "\n")
  }
}
