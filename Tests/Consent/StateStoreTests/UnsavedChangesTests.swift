import Authorization
import Base
import LineProtocol
import TemporaryFiles
import Testing

@testable import StateStore

private let plain: [AppRecord] = [AuthorizationStatus.denied, .notDetermined, .whenInUse, .always].flatMap { status in
  FixAccuracy.allCases.flatMap { accuracy in
    [true, false].map { isConfirmed in
      var record = AppRecord(app: ferry, status: status, accuracy: accuracy)
      record.isButtonConfirmed = isConfirmed
      return record
    }
  }
}

private let records = plain + [provisional, refusedAlways]

/// The record of an app that asked for `always`, and that the user allowed "while using".
private let provisional: AppRecord = {
  var record = AppRecord(app: ferry, status: .whenInUse)
  record.isProvisional = true
  return record
}()

/// The record of the same app after the user refused `always`. The app does not learn this for a day.
private let refusedAlways: AppRecord = {
  var record = AppRecord(app: ferry, status: .whenInUse)
  record.seesAlwaysUntil = clock(86_400).monotonic
  return record
}()

@Test func `after a start, a right is the stricter one of the store and of the copy of unsaved changes`() {
  for stored in records {
    for copied in records {
      let adopted = stored.limited(to: copied)
      #expect(!adopted.grantsMore(than: stored) && !adopted.grantsMore(than: copied))
      #expect([stored.status, copied.status].contains(adopted.status))
      #expect([stored.accuracy, copied.accuracy].contains(adopted.accuracy))
      let mayAsk = [stored, copied].allSatisfy { $0.isProvisional || $0.status == .always }
      #expect(adopted.isProvisional == (adopted.status == .whenInUse && mayAsk))
      #expect(adopted.limited(to: copied) == adopted, "a second start changes nothing")
    }
  }
}

/// Returns the record after a start with a copy of unsaved changes.
private func adopted(_ copied: AppRecord, over stored: AppRecord) throws -> AppRecord? {
  let directory = try TemporaryDirectory()
  let store = try directory.open(boot: "first")
  try store.save(stored, now: clock())
  try store.copy(UnsavedChanges(records: [copied], isLocked: false, values: [:]), to: directory.path("copy"))
  try store.adoptCopy(directory.path("copy"), now: clock())
  return try store.load(now: clock()).apps.first
}

@Test func `B5: an unsaved no to always is kept, and the app still sees always until its time`() throws {
  #expect(try adopted(refusedAlways, over: provisional) == refusedAlways)
}

@Test func `B5, D6: an unsaved change leaves the question about always open, and an unsaved end is not longer`() throws
{
  var reduced = provisional
  reduced.accuracy = .reduced
  #expect(try adopted(reduced, over: provisional) == reduced)
  // An owner denied the app, and then allowed the app for a time. Neither change was saved.
  var limited = AppRecord(app: ferry, status: .whenInUse)
  limited.timeLimit = TimeLimit(end: clock(60).boot, formerStatus: .denied)
  #expect(try adopted(limited, over: AppRecord(app: ferry, status: .always)) == limited)
}

extension StoreTests {
  @Test func `unsaved changes are adopted once, and a value that was erased stays erased`() throws {
    let copy = directory.path("unsaved")
    try store.save(AppRecord(app: ferry, status: .always), now: clock())
    try store.seal([1], as: "key of ferry")
    try store.seal([1, 2], as: "places")
    try store.copy(
      UnsavedChanges(
        records: [AppRecord(app: ferry, status: .denied), AppRecord(app: harbour, status: .always)], isLocked: true,
        values: ["key of ferry": nil, "places": [1]]), to: copy)
    #expect(directory.mode("unsaved") == 0o600)
    #expect(directory.read("unsaved")?.firstRange(of: Array("ferry".utf8)) == nil, "the copy is sealed")
    store.close()
    let again = try directory.open()
    try again.adoptCopy(copy, now: clock())
    let state = try again.load(now: clock())
    #expect(state.apps.map(\.status) == [.denied], "a copy gives no right")
    #expect(try state.isLocked && again.unseal("key of ferry") == nil)
    #expect(try again.unseal("places") == [1] && directory.read("unsaved") == nil)
    try again.save(AppRecord(app: ferry, status: .whenInUse), now: clock())
    try again.adoptCopy(copy, now: clock())
    #expect(try again.load(now: clock()).apps.first?.status == .whenInUse)
  }

  @Test func `a withdrawn fix of the copy is erased, and another fix still waits`() throws {
    let copy = directory.path("unsaved")
    let entry = DisclosureEntry(app: ferry, accuracy: .full, right: .always, transport: "file", isSimulated: true)
    let fixes = try (1...3).map { byte in
      try store.keep(
        OutboxFix(sink: "file:///x", expires: clock(60).utc, bytes: [byte]), as: entry,
        record: AppRecord(app: ferry, status: .always), now: clock())
    }
    try store.copy(
      UnsavedChanges(
        records: [], isLocked: false, values: [:],
        withdrawn: [fixes[0].number: .erased, fixes[1].number: .lost, 99: .erased]), to: copy)
    store.close()
    let again = try directory.open()
    try again.adoptCopy(copy, now: clock())
    #expect(try again.waitingFixes().map(\.number) == [fixes[2].number])
    let events = try again.entries(limit: 9).map(\.event)
    for (fix, outcome) in zip(fixes, [DisclosureOutcome.erased, .lost]) {
      #expect(events.contains(.outcome(outcome, of: fix.disclosure)))
    }
  }

  @Test func `a copy of unsaved changes that another program changed prevents the start`() throws {
    let copy = directory.path("unsaved")
    try store.copy(UnsavedChanges(records: [], isLocked: true, values: [:]), to: copy)
    var bytes = try #require(directory.read("unsaved"))
    bytes[20] ^= 1
    try directory.write(bytes, to: "unsaved")
    let error = try #require(throws: StoreError.self) { try store.adoptCopy(copy, now: clock()) }
    #expect(
      error.remedy?.hasPrefix("remove the file, start onefixd, and check") == true, "onefixd must run for a check")
    #expect(directory.read("unsaved") == bytes)
  }

  @Test func `a copy of unsaved changes of another form prevents the start, and one of the right form does not`() throws
  {
    func adopt(_ text: String) throws {
      try directory.write(store.sealedBytes([UInt8](text.utf8), as: "unsaved changes"), to: "unsaved")
      try store.adoptCopy(directory.path("unsaved"), now: clock())
    }
    for text in [
      "app", "app ferry", "app ferry denied full", "app ferry denied full - 5", "app ferry denied full - 5 denied 6",
      "app Ferry! denied full -", "app ferry never full -", "app ferry denied exact -",
      "app ferry denied full - x denied",
      "app ferry denied full - - 5", "app ferry denied full - always:x", "app ferry denied full - - 5 denied 6",
      "app ferry denied full - 5 never", "locked now", "unlocked", "value", "value cGxhY2Vz", "value cGxhY2Vz - -",
      "value ! -", "value cGxhY2Vz .!", "withdrawn", "withdrawn x erased", "withdrawn 1", "withdrawn 1 sent",
      "withdrawn 1 lost 2",
    ] {
      let error = try #require(throws: StoreError.self, "\(text)") { try adopt(text) }
      #expect(error.kind == .sealBroken && error.operation == "read the copy of unsaved changes")
      #expect(directory.read("unsaved") != nil)
    }
    #expect(try store.load(now: clock()).apps.isEmpty)
    for text in [
      // The forms before and after the word about `always`.
      "", "app ferry denied full -\napp harbour denied reduced confirmed 5 denied",
      "app ferry denied full - always:5\napp harbour denied reduced confirmed provisional 5 denied", "locked",
      "value cGxhY2Vz .AQI", "withdrawn 5 erased",
    ] {
      try adopt(text)
      #expect(directory.read("unsaved") == nil)
    }
    #expect(try store.load(now: clock()).apps.map(\.status) == [.denied, .denied])
    #expect(try store.load(now: clock()).isLocked && store.unseal("places") == [1, 2])
  }
}
