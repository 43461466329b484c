import Authorization
import Base
import Disclosure
import Foundation
import LineProtocol
import OperatingSystem
import TemporaryFiles
import Testing

@testable import Gateway
@testable import StateStore

@Suite struct LogKeeperTests {
  private let directory: TemporaryDirectory
  private let store: StateStore

  init() throws {
    directory = try TemporaryDirectory()
    let key = try #require(DeviceKey(bytes: [UInt8](repeating: 7, count: DeviceKey.byteCount)))
    store = try StateStore(
      directory: directory.path("state"), key: key, anchor: directory.path("anchor"), now: clock())
  }

  private func keeper(at time: Duration = .zero) -> LogKeeper { LogKeeper(store) { clock(time) } }

  private func record(_ app: AppID = a, _ status: AuthorizationStatus = .always) -> AppRecord {
    AppRecord(app: app, status: status)
  }

  private func entry(_ app: AppID = a) -> DisclosureEntry {
    DisclosureEntry(app: app, accuracy: .full, right: .always, transport: "unix", isSimulated: true)
  }

  private func records() throws -> [AppID: AuthorizationStatus] {
    Dictionary(uniqueKeysWithValues: try store.load(now: clock()).apps.map { ($0.app, $0.status) })
  }

  private func fix(_ keeper: inout LogKeeper) throws -> OutboxEntry {
    let kept = OutboxFix(sink: "mqtt://x", expires: clock(.seconds(60)).utc, bytes: [1])
    return try keeper.keep(kept, as: entry(), record(), sealing: nil)
  }

  // MARK: Rights

  @Test func `rights in one write, the removal of one and the lock are on the disk when the call returns`() throws {
    var keeper = keeper()
    #expect(lines { keeper.save([record(), record(b, .denied)], at: at(.zero), &$0) } == [])
    #expect(keeper.writes["right"]?.count == 1)
    #expect(lines { keeper.saveLock(true, at: at(.zero), &$0) } == [])
    #expect(try records() == [a: .always, b: .denied] && store.load(now: clock()).isLocked)
    #expect(lines { keeper.remove(asNew: record(a, .notDetermined), at: at(.zero), &$0) } == [])
    #expect(lines { keeper.saveLock(false, at: at(.zero), &$0) } == [])
    #expect(try records() == [b: .denied] && !store.load(now: clock()).isLocked)
    #expect(keeper.pendingChanges == 0)
  }

  @Test func `until a change is written, nothing can be disclosed, and the change is tried again each five seconds`()
    throws
  {
    var keeper = keeper()
    store.close()
    let error = "log error: cannot write a change; nothing is disclosed until it is written"
    #expect(lines { keeper.save([record()], at: at(.zero), &$0) } == [error])
    #expect(lines { keeper.saveLock(true, at: at(.zero), &$0) } == [error])
    #expect(keeper.pendingChanges == 2)
    #expect(throws: StoreError.self) { try keeper.savePending(except: nil) }
    #expect(keeper.pendingChanges == 2 && keeper.failedWrites["right"] == 4)
    #expect(status(keeper)["store-fault"] == "write,unsaved:2")
    for (time, next) in [(at(.seconds(5)) - .nanoseconds(1), 5), (at(.seconds(5)), 10)] {
      #expect(lines { keeper.pass(to: time, &$0) } == [] && keeper.nextDeadline == at(.seconds(next)))
    }
  }

  @Test func `the status reports a write that failed, also if no change is pending`() {
    var keeper = keeper()
    store.close()
    #expect(status(keeper) == ["log": "unchecked"])
    #expect(throws: StoreError.self) { try keeper.open(entry(), record(), sealing: nil) }
    #expect(status(keeper) == ["log": "unchecked", "store-fault": "write"])
  }

  @Test func `a disclosure that cannot be written is a fault until a disclosure is written, also after other writes`()
    throws
  {
    var keeper = keeper()
    // A folder with the name of the reserve keeps the space from being reserved, as a full disk does.
    let reserve = directory.path("state/onefix.reserve")
    try FileManager.default.removeItem(atPath: reserve)
    try directory.makeFolder("state/onefix.reserve")
    #expect(throws: StoreError.self) { try keeper.open(entry(), record(), sealing: nil) }
    #expect(lines { keeper.save([record()], at: at(.zero), &$0) } == [])
    #expect(try records() == [a: .always])
    #expect(status(keeper)["store-fault"] == "write")
    try FileManager.default.removeItem(atPath: reserve)
    _ = try keeper.open(entry(), record(), sealing: nil)
    #expect(status(keeper)["store-fault"] == nil)
  }

  @Test func `a deferred record is written by the next entry of its app, by that of another app, or by itself`() throws
  {
    var keeper = keeper()
    keeper.postpone(record())
    #expect(try keeper.pendingChanges == 1 && records() == [:])
    try keeper.savePending(except: a)
    #expect(try records() == [:])
    _ = try keeper.open(entry(), record(), sealing: nil)
    #expect(try keeper.pendingChanges == 0 && records() == [a: .always])
    keeper.postpone(record(a, .whenInUse))
    try keeper.savePending(except: b)
    #expect(try keeper.pendingChanges == 0 && records() == [a: .whenInUse])
    keeper.postpone(record())
    #expect(lines { keeper.saveDeferred([b], at: at(.zero), &$0) } == [] && keeper.pendingChanges == 1)
    #expect(lines { keeper.saveDeferred([a], at: at(.zero), &$0) } == [] && keeper.pendingChanges == 0)
    #expect(try records() == [a: .always])
    // The stop writes all changes.
    keeper.postpone(record(b, .denied))
    #expect(try lines { keeper.savePending(at: at(.zero), &$0) } == [] && records() == [a: .always, b: .denied])
  }

  // MARK: Entries and outcomes

  @Test func `an entry is on the disk with the memory of the cloak when the call returns, and closed once`() throws {
    var keeper = keeper()
    let number = try keeper.open(entry(), record(), sealing: SealedMemory(DisclosureGate.memoryName, [1, 2]))
    #expect(try store.unseal(DisclosureGate.memoryName) == [1, 2])
    for outcome in [DisclosureOutcome.sent, .expired] {
      #expect(lines { keeper.close([.outcome(outcome, of: number)], &$0) } == [])
    }
    #expect(lines { keeper.close([], &$0) } == [])
    let interval = try keeper.openInterval(entry(), record(), sealing: SealedMemory(DisclosureGate.memoryName, [3]))
    #expect(try store.unseal(DisclosureGate.memoryName) == [3])
    try keeper.seal(SealedMemory(SealedPlaces.name, [4]))
    #expect(try store.unseal(SealedPlaces.name) == [4])
    _ = lines { keeper.close([.end(.stopped, fixes: 9, of: interval)], &$0) }
    #expect(
      keeper.entries(newest: 5).map(\.event) == [
        .disclosure(entry()), .outcome(.sent, of: number), .interval(entry()), .end(.stopped, fixes: 9, of: interval),
      ])
  }

  @Test func `a fix of the outbox is kept until it is settled`() throws {
    var keeper = keeper()
    let fix = try fix(&keeper)
    #expect(try keeper.content(of: fix) == [1])
    let late = try keeper.postpone(fix)
    #expect(late.number == fix.number && late.disclosure != fix.disclosure)
    #expect(lines { keeper.settle(late, .acknowledged, at: at(.zero), &$0) } == [])
    #expect(try store.waitingFixes() == [] && keeper.nextDeadline == nil)
  }

  @Test(arguments: [false, true])
  func `an outcome that cannot be written is tried again each five seconds, and reported once`(isOfFix: Bool) throws {
    var keeper = keeper()
    let fix = try fix(&keeper)
    let number = try keeper.open(entry(), record(), sealing: nil)
    store.close()
    func end(_ outcome: DisclosureOutcome) -> [String] {
      lines { outputs in
        if isOfFix {
          keeper.settle(fix, outcome, at: at(.zero), &outputs)
        } else {
          keeper.close([.outcome(outcome, of: number)], &outputs)
        }
      }
    }
    #expect(end(.erased) == ["log error: cannot write the outcome of a disclosure"])
    #expect(keeper.nextDeadline == at(.seconds(5)))
    if !isOfFix { #expect(end(.region) == [], "a further failure is not reported") }
    let before = keeper.failedWrites["outcome"]
    #expect(lines { keeper.pass(to: at(.seconds(5)) - .nanoseconds(1), &$0) } == [])
    #expect(keeper.nextDeadline == at(.seconds(5)) && keeper.failedWrites["outcome"] == before)
    #expect(lines { keeper.pass(to: at(.seconds(5)), &$0) } == [])
    #expect(keeper.nextDeadline == at(.seconds(10)) && keeper.failedWrites["outcome"] == before.map { $0 + 1 })
    // A withdrawn fix must not come back after a restart.
    if isOfFix { #expect(throws: StoreError.self) { try keeper.savePending(except: nil) } }
  }

  @Test func `writes are timed by kind, and failures counted`() throws {
    var keeper = keeper()
    let number = try keeper.open(entry(), record(), sealing: nil)
    _ = lines { keeper.close([.outcome(.sent, of: number)], &$0) }
    _ = lines { keeper.save([record(b)], at: at(.zero), &$0) }
    try keeper.seal([1], as: "key")
    for kind in StoreWrite.allCases where kind != .upkeep {
      #expect(keeper.writes[kind.rawValue]?.count == 1, "\(kind)")
    }
    #expect(keeper.failedWrites.values.allSatisfy { $0 == 0 })
  }

  // MARK: Refusals and quotas

  @Test func `refusals are counted by hour and answer, before and after they are saved`() throws {
    var keeper = keeper()
    for answer in ["denied", "denied", "locked"] {
      keeper.upkeep.count(AnswerKey(period: "2026-11-21T07", app: a, answer: answer))
    }
    func counts() throws -> [String: Int] {
      Dictionary(uniqueKeysWithValues: try keeper.answers(since: nil).map { ($0.key.answer, $0.count) })
    }
    #expect(try counts() == ["denied": 2, "locked": 1] && store.answers().isEmpty)
    #expect(lines { keeper.maintain(received: nil, retention: .seconds(86_400), &$0) } == [])
    #expect(try counts() == ["denied": 2, "locked": 1] && store.answers().count == 2)
    keeper.upkeep.count(AnswerKey(period: "2026-11-21T07", app: a, answer: "denied"))
    #expect(try counts() == ["denied": 3, "locked": 1])
  }

  @Test func `the owner is warned once when an app has added most of its share`() {
    var keeper = keeper()
    var warnings: [String] = []
    for second in 0..<LogQuota.entriesAtOnce {
      warnings += lines { keeper.countEntry(of: a, isOnce: false, at: at(.milliseconds(second)), &$0) }
    }
    #expect(warnings.count == 1 && warnings[0].hasPrefix("log warning: an app has used most of its entries"))
    #expect(keeper.lowApps(at: at(.seconds(10))) == [a])
    #expect(keeper.wait(of: b, isOnce: false, at: at(.seconds(10))) == nil)
  }

  // MARK: The condition of the log

  private func status(_ keeper: LogKeeper) -> ServerLine.Fields {
    var fields: ServerLine.Fields = [:]
    keeper.addStatus(to: &fields)
    return fields
  }

  @Test func `the log is unchecked until it was verified`() throws {
    var keeper = keeper()
    #expect(keeper.upkeep.needsVerification && status(keeper) == ["log": "unchecked"])
    var verifier = try keeper.beginVerification()
    while try keeper.continueVerification(&verifier) {}
    #expect(lines { keeper.upkeep.note(verifier.result, &$0) } == [])
    #expect(!keeper.upkeep.needsVerification && status(keeper) == ["log": "good"] && !keeper.upkeep.condition.isFaulty)
  }

  @Test func `a broken log stays broken, and each fault is reported once`() {
    var keeper = keeper()
    var verification = LogVerification()
    verification.faults = [.changed(3), .changed(5)]
    #expect(lines { keeper.upkeep.note(verification, &$0) }.count == 1)
    #expect(lines { keeper.upkeep.note(verification, &$0) } == [])
    #expect(status(keeper) == ["log": "broken", "log-fault": "changed", "log-entry": "3"])
    #expect(keeper.upkeep.condition.isFaulty && !keeper.upkeep.needsVerification)
    // A disk that fails later is not the first fault.
    _ = lines { keeper.upkeep.note(unreadable: StoreError(.failed, "read", "the log", cause: "x"), &$0) }
    #expect(keeper.upkeep.condition == .broken(.changed(3)))
  }

  @Test func `a log that cannot be read is verified again, and reported once`() {
    var keeper = keeper()
    let error = StoreError(.failed, "read", "the log", cause: "the disk")
    #expect(
      lines { keeper.upkeep.note(unreadable: error, &$0) } == ["log warning: cannot maintain the log of disclosures"])
    #expect(lines { keeper.upkeep.note(unreadable: error, &$0) } == [])
    #expect(keeper.upkeep.needsVerification && status(keeper) == ["log": "failing", "log-fault": "unreadable"])
    #expect(lines { keeper.upkeep.note(LogVerification(), &$0) } == [] && status(keeper) == ["log": "good"])
  }

  @Test func `a log that cannot be maintained is not called unreadable`() {
    var keeper = keeper()
    store.close()
    #expect(
      lines { keeper.maintain(received: nil, retention: .seconds(86_400), &$0) }.allSatisfy {
        $0 == "log warning: cannot maintain the log of disclosures"
      })
    #expect(status(keeper) == ["log": "failing", "log-fault": "untended"])
  }

  @Test func `one input removes a limited number of old entries`() throws {
    var old = keeper()
    let answer = AnswerEntry(
      app: a, prompt: .authorize, choice: .no, accuracy: nil, purpose: nil, language: nil, way: .button)
    let step = LogKeeper.entriesAtOnce
    for _ in 0..<2 * step + 1 { _ = lines { old.record(.answer(answer), of: a, at: at(.zero), &$0) } }
    let now = clock(.seconds(500 * 86_400))
    var keeper = keeper(at: .seconds(500 * 86_400))
    var reports = lines { keeper.maintain(received: now.utc, retention: .seconds(86_400), &$0) }
    var counts = [keeper.entries(newest: 3 * step).count]
    while keeper.upkeep.isPruning {
      #expect(reports == [])
      reports = lines { keeper.prune(&$0) }
      counts.append(keeper.entries(newest: 3 * step).count)
    }
    #expect(counts == [step + 1, 1, 0])
    #expect(reports == ["log notice: old entries of the log were pruned"])
  }

}
