package import Authorization
package import Base
import Glibc
import LineProtocol
import OperatingSystem

/// Changes that already apply but are not saved, for example because the disk is full. The changes concern
/// authorizations, the lock of the gateway, encrypted values and withdrawn fixes.
package struct UnsavedChanges: Hashable, Sendable {
  /// The changed records of apps. The copy in the runtime directory contains only the status, the accuracy, the user's
  /// agreement to presses of the button, whether the app is told `always` (row B5), and the time limit.
  package var records: [AppRecord]
  /// Whether the gateway is locked (gives no location to any app), and this state is not saved yet.
  package var isLocked: Bool
  /// The new bytes of each changed encrypted value, by the name of the value; nil for an erased value.
  package var values: [String: [UInt8]?]
  /// The numbers of the withdrawn fixes that could not be erased, each with its outcome, `erased` or `lost`.
  package var withdrawn: [Int64: DisclosureOutcome]

  package init(
    records: [AppRecord], isLocked: Bool, values: [String: [UInt8]?], withdrawn: [Int64: DisclosureOutcome] = [:]
  ) {
    self.records = records
    self.isLocked = isLocked
    self.values = values
    self.withdrawn = withdrawn
  }

  fileprivate var text: String {
    let apps = records.map { record in
      var words = ["app", "\(record.app)", record.status.rawValue, record.accuracy.rawValue]
      words += [record.isButtonConfirmed ? "confirmed" : "-", record.seenAlways]
      if let limit = record.timeLimit { words += ["\(limit.end.nanoseconds)", limit.formerStatus.rawValue] }
      return words.joined(separator: " ")
    }
    let values = values.map { name, bytes in
      "value \(Base64URL.text(of: Array(name.utf8))) " + (bytes.map { "." + Base64URL.text(of: $0) } ?? "-")
    }
    return (apps + (isLocked ? ["locked"] : []) + values + withdrawn.map { "withdrawn \($0) \($1.rawValue)" })
      .joined(separator: "\n")
  }

  fileprivate init?(text: String) {
    self.init(records: [], isLocked: false, values: [:])
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      switch (words.first, words.count) {
      case ("app", 5...8):
        guard let app = AppID(words[1]), let status = AuthorizationStatus(rawValue: words[2]),
          let accuracy = FixAccuracy(rawValue: words[3])
        else { return nil }
        var record = AppRecord(app: app, status: status, accuracy: accuracy)
        record.isButtonConfirmed = words[4] == "confirmed"
        // An earlier version wrote no word about `always`, so that the count of words was odd.
        if words.count.isMultiple(of: 2), !record.see(always: words[5]) { return nil }
        if words.count > 6 {
          let limit = Array(words.suffix(2))
          guard let end = Int64(limit[0]), let former = AuthorizationStatus(rawValue: limit[1]) else { return nil }
          // The runtime directory is emptied at each boot of the machine, so `end` is an instant of the present boot.
          record.timeLimit = TimeLimit(end: BootInstant(nanoseconds: end), formerStatus: former)
        }
        records.append(record)
      case ("locked", 1): isLocked = true
      case ("withdrawn", 3):
        guard let number = Int64(words[1]), let outcome = DisclosureOutcome(rawValue: words[2]),
          [.erased, .lost].contains(outcome)
        else { return nil }
        withdrawn[number] = outcome
      case ("value", 3):
        guard let name = Base64URL.bytes(of: words[1]) else { return nil }
        let bytes = words[2] == "-" ? nil : Base64URL.bytes(of: String(words[2].dropFirst()))
        guard words[2] == "-" || bytes != nil else { return nil }
        values.updateValue(bytes, forKey: String(decoding: name, as: UTF8.self))
      default: return nil
      }
    }
  }
}

/// Functions for the copy of unsaved changes: an encrypted file in the runtime directory. The copy survives a restart
/// of the daemon, but not a restart of the machine.
extension StateStore {
  private static let copyName = "unsaved changes"

  /// Writes unsaved changes to an encrypted file in the runtime directory, for example while the disk of the state
  /// directory is full.
  package func copy(_ changes: UnsavedChanges, to path: String) throws(StoreError) {
    let sealed = sealedBytes(Array(changes.text.utf8), as: Self.copyName)
    do { try AtomicFile(path: path).write(sealed, mode: 0o600, isDurable: false) } catch {
      throw StoreError("write the copy of unsaved changes", path, errno: error.number)
    }
  }

  package static func removeCopy(_ path: String) { AtomicFile(path: path).remove() }

  /// Reads the unsaved changes of an earlier run of the daemon, saves them in the database, and removes their file. If
  /// the database and the file differ about a permission, the stricter value applies.
  package func adoptCopy(_ path: String, now: ClockReading) throws(StoreError) {
    guard let changes = try readCopy(path) else { return }
    let (stored, isLocked) = try load(now: now)
    for record in changes.records {
      let present = stored.first { $0.app == record.app } ?? AppRecord(app: record.app)
      let strict = present.limited(to: record)
      if strict != present { try save(strict, now: now) }
    }
    if changes.isLocked, !isLocked { try saveLock(true) }
    for (name, bytes) in changes.values {
      if let bytes { try seal(bytes, as: name, isRevocation: true) } else { try erase(name) }
    }
    for fix in try waitingFixes() {
      if let outcome = changes.withdrawn[fix.number] { try settle(fix, outcome, now: now) }
    }
    Self.removeCopy(path)
  }

  private func readCopy(_ path: String) throws(StoreError) -> UnsavedChanges? {
    let operation = "read the copy of unsaved changes"
    let bytes: [UInt8]
    do {
      bytes = try FileDescriptor(operation, path, O_RDONLY | O_NONBLOCK).read(atMost: 16 << 20, of: path)
    } catch  where error.kind == .absent {
      return nil
    }
    let text = try? openedBytes(bytes, as: Self.copyName, operation)
    guard let text, let changes = UnsavedChanges(text: String(decoding: text, as: UTF8.self)) else {
      throw StoreError(
        .sealBroken, operation, path, cause: "another program changed it, or another device wrote it",
        remedy: "remove the file, start onefixd, and check the rights and the keys of all apps and the kill switch")
    }
    return changes
  }
}

extension AppRecord {
  /// The word of the copy about the status `always` that the app is told, although its real status is lower.
  fileprivate var seenAlways: String {
    isProvisional ? "provisional" : seesAlwaysUntil.map { "always:\($0.nanoseconds)" } ?? "-"
  }

  /// Sets the fields that `seenAlways` describes. Returns false if the word is invalid.
  fileprivate mutating func see(always word: String) -> Bool {
    switch word {
    case "-": return true
    case "provisional":
      isProvisional = true
      return true
    default:
      guard word.hasPrefix("always:"), let end = Int64(word.dropFirst("always:".count)) else { return false }
      // The runtime directory is emptied at each boot of the machine, so the monotonic clock is the same.
      seesAlwaysUntil = MonotonicInstant(nanoseconds: end)
      return true
    }
  }

  /// Returns the permissions that both records give. The records are of the same app.
  func limited(to other: AppRecord) -> AppRecord {
    var strict = self
    if other.status.rank < status.rank {
      strict.status = other.status
      strict.isProvisional = other.isProvisional
      strict.seesAlwaysUntil = other.seesAlwaysUntil
    } else if isProvisional, !other.isProvisional, other.status != .always || other.timeLimit != nil {
      // The user refused `always`, and the app does not learn this yet (row B5). An unsaved `always` without an end is
      // no refusal: the gateway asks the user again.
      strict.isProvisional = false
      strict.seesAlwaysUntil = other.seesAlwaysUntil
    }
    strict.isButtonConfirmed = isButtonConfirmed && other.isButtonConfirmed
    strict.accuracy = min(accuracy, other.accuracy)
    strict.timeLimit = strict.stricterLimit(timeLimit, other.timeLimit)
    return strict
  }

  /// Returns the stricter of two ends of a temporary authorization: the earlier time, and the lower status after the
  /// end. Returns nil if such an end would take no permission away.
  private func stricterLimit(_ own: TimeLimit?, _ other: TimeLimit?) -> TimeLimit? {
    let limits = [own, other].compactMap(\.self)
    guard var limit = limits.min(by: { $0.end < $1.end }) else { return nil }
    limit.formerStatus = limits.map(\.formerStatus).min { $0.rank < $1.rank } ?? limit.formerStatus
    limit.wasProvisional = own?.wasProvisional == true && limit.formerStatus == .whenInUse
    return limit.formerStatus.rank < status.rank ? limit : nil
  }
}
