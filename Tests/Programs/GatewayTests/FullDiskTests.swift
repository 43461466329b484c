import Authorization
import Base
import ControlledBoard
import Foundation
import Hardware
import LineProtocol
import OneFixClient
import OperatingSystem
import Ports
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import StoreScenario
import Synchronization
import TemporaryFiles
import Testing

@testable import Gateway

/// Sends a request, presses in time, and sends epochs from the receiver.
private func ask(_ client: OneFixClient, _ bench: Bench, second: Int) async -> ErrorCode? {
  let asking = await Asking(client)
  await bench.pressInTime()
  await bench.receiver.send(second: second)
  return await asking.refusal()
}

@Test(.patient)
func `nothing is disclosed to any app until a revocation is on the disk`() async throws {
  let disk = Disk()
  let bench = try await Bench(confirmed(), disk: try disk.recording("gateway"))
  let (ferry, parks) = (try await bench.client("ferry"), try await bench.client("parks"))

  // The user denies the ferry while the disk is full.
  let refused = await Asking(ferry)
  await bench.pressInTime()
  disk.isFull = true
  _ = await bench.button.press(for: .milliseconds(3100))
  await #expect(throws: ClientError.denied(LineError(.denied, "the user answered no"))) {
    _ = try await refused.outcome.value
  }
  let failures = await bench.gateway.metrics().lines.filter { $0.contains(#"write_failures_total{write="right"}"#) }
  #expect(failures.map { $0.hasSuffix(" 0") } == [false])
  #expect(await bench.gateway.ownerStatus["store-fault"]?.hasPrefix("write,unsaved:") == true)

  // Other apps receive nothing either, because the ferry could have its right again after a restart.
  await bench.clock.pass(.milliseconds(1100))
  #expect(await ask(parks, bench, second: 1) == .store)
  #expect(await bench.log.isEmpty)

  disk.isFull = false
  await bench.clock.pass(.milliseconds(2100))
  #expect(await ask(parks, bench, second: 9) == nil)
  #expect(await bench.gateway.ownerStatus["store-fault"] == nil)
  // The answer is in the log before the next disclosure.
  let log = await bench.log.map(\.event)
  guard log.count > 1, case .answer(let answer) = log[0], case .disclosure = log[1] else { throw Missing() }
  #expect(answer.app.name == "ferry" && answer.choice == .no && answer.way == .button)
  await bench.gateway.stop()
  let records = try bench.stored { try $0.load(now: bench.clock.reading).apps }
  #expect(records.first { $0.app.name == "ferry" }?.status == .denied)
  await bench.stop()
}

@Test(.patient)
func `the outcome of a disclosure that cannot be written is reported, and is written at the stop`() async throws {
  let disk = Disk()
  let bench = try await Bench([record(.always)], disk: try disk.recording("outcome"))
  // The log entry of the fix is written before the fix is sent.
  let connection = RecordingConnection { call in if case .once = call { disk.isFull = true } }
  await bench.gateway.open(on: connection)
  await bench.gateway.perform(.subscribe(try TopicFilter("fix/once"), sid: "s", qos: 0), tag: nil, on: connection)
  await bench.receive(nmea("GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
  await bench.gateway.perform(.requestOnce(OnceRequest()), tag: nil, on: connection)
  #expect(bench.book.all.contains { $0.hasPrefix("cannot write the outcome of a disclosure") })
  #expect(await bench.log.count == 1)
  disk.isFull = false
  await bench.gateway.stop()
  let events = try bench.stored { try $0.entries(newestFirst: false, limit: 10).map(\.event) }
  guard events.count == 2, case .outcome(.sent, _) = events[1] else { throw Missing() }
  await bench.stop()
}

@Test(
  .patient,
  arguments: [AuthorizationStatus.denied, .notDetermined, .whenInUse].map {
    Event.ordered(.setStatus(AppID("parks")!, $0))
  } + [.ordered(.reset(AppID("parks")!)), .lockOrdered])
func `no fix leaves a queue while the change of a right is being written`(change: Event) async throws {
  let order = Mutex<[String]>([])
  let disk = try Recording("order-\(UInt64.random(in: .min ... .max))") { change, _, _ in
    if case .write = change { order.withLock { $0.append("write") } }
    return 0
  }
  try await Bench([record(.always)], disk: disk).run { bench in
    let connection = RecordingConnection { call in
      if case .recall = call { order.withLock { $0.append("recall") } }
    }
    await bench.gateway.open(on: connection)
    await bench.gateway.perform(.startUpdates(UpdatesRequest()), tag: nil, on: connection)
    await bench.receive(nmea("GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    #expect(await bench.log.count == 1, "the updates have begun")
    order.withLock { $0 = [] }
    await bench.gateway.handle(change)
    #expect(order.withLock { $0.first } == "recall")
  }
}

@Test(
  .patient,
  arguments: [
    "SET parks status denied", "SET parks status whenInUse", "RESET parks", "SET parks accuracy reduced", "LOCK",
    "PLACE DENY parks harbour",
    "PLACE DEL harbour",
  ])
func `an owner reads that a change is in force but not saved, and a restart of the daemon keeps it`(command: String)
  async throws
{
  let disk = Disk()
  let folder = try TemporaryDirectory()
  let bench = try await Bench([record(.always)], in: folder, disk: try disk.recording("unsaved \(command)"))
  let owner = try await bench.owner()
  try await owner.allowHarbour("parks")
  disk.isFull = true
  let reply = try await owner.reply(to: command)
  #expect(reply.hasPrefix("-ERR 514 not-saved ") && reply.contains("a power cut undoes it"), "\(reply)")
  #expect(!reply.contains("a restart of the daemon"), "\(reply)")
  let status = await bench.gateway.ownerStatus
  #expect(status["store-fault"]?.hasPrefix("write,unsaved:") == true)
  // The signal of the kill switch ends first.
  await bench.clock.pass(.seconds(3))
  #expect(await bench.gateway.snapshot(entries: 0).indication == .notSaved)
  await bench.stop()
  let store = try Bench.store(in: folder, bench.clock.reading)
  try store.adoptCopy(folder.path("unsaved"), now: bench.clock.reading)
  let (apps, isLocked) = try store.load(now: bench.clock.reading)
  let parks = try #require(apps.first)
  #expect((parks.status == .denied) == (command == "SET parks status denied"))
  #expect((parks.status == .notDetermined) == (command == "RESET parks"))
  #expect((parks.status == .whenInUse) == (command == "SET parks status whenInUse"))
  #expect((parks.accuracy == .reduced) == (command == "SET parks accuracy reduced"))
  #expect(isLocked == (command == "LOCK"))
  store.close()
  #expect(!FileManager.default.fileExists(atPath: folder.path("unsaved")), "the copy is removed when it is saved")
  guard command.hasPrefix("PLACE") else { return }
  let again = try await Bench(in: folder)
  #expect(await again.gateway.appsWithNames.isEmpty)
  await again.stop()
}

@Test(.patient)
func `an owner learns from the start on that the space for revocations cannot be reserved`() async throws {
  let folder = try TemporaryDirectory()
  let obstacle = folder.path("state/onefix.reserve")
  try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: true)
  let bench = try await Bench(in: folder)
  #expect(await bench.gateway.ownerStatus["store-fault"] == "write")
  try FileManager.default.removeItem(atPath: obstacle)
  #expect(await bench.gateway.ownerStatus["store-fault"] == nil)
  await bench.stop()
}

@Test(.patient)
func `if the state is removed but its anchor remains, each configured app is denied, and other apps must ask`()
  async throws
{
  let folder = try TemporaryDirectory()
  let policy = Policy { $0.authorization.newAppAccuracy = [parks: .full] }
  let before = try await Bench([record(.denied)], in: folder, policy: policy)
  await before.stop()
  try FileManager.default.removeItem(atPath: folder.path("state"))
  let bench = try await Bench(in: folder, policy: policy)
  #expect(await bench.gateway.status(of: parks) == .denied)
  #expect(await bench.gateway.status(of: AppID("other")!) == .notDetermined)
  await bench.stop()
  let saved = try bench.stored { try $0.load(now: bench.clock.reading).apps }
  #expect(saved == [AppRecord(app: parks, status: .denied, accuracy: .place)])
}

@Test(.patient)
func `a request on a full disk is no unsaved change, and a change is saved as soon as the disk works again`()
  async throws
{
  let disk = Disk()
  try await Bench(confirmed(), disk: try disk.recording("saved later")).run { bench in
    let (client, owner) = (try await bench.client("parks"), try await bench.owner())
    func exists(_ file: String) -> Bool { FileManager.default.fileExists(atPath: bench.folder + "/" + file) }
    disk.isFull = true
    // The first request of an app gives the app a place in the order of service.
    let asking = await Asking(client)
    #expect(await bench.gateway.ownerStatus["store-fault"] == "write")
    #expect(await bench.gateway.snapshot(entries: 0).indication != .notSaved)
    #expect(exists("state/onefix.reserve") && !exists("unsaved"), "the reserve is for revocations")
    #expect(try await owner.reply(to: "SET parks status denied").hasPrefix("-ERR 514 "))
    #expect(exists("unsaved"))
    disk.isFull = false
    await bench.clock.pass(.seconds(6))
    #expect(await bench.gateway.ownerStatus["store-fault"] == nil)
    #expect(await bench.gateway.snapshot(entries: 0).indication != .notSaved)
    #expect(!exists("unsaved"))
    #expect(try await owner.reply(to: "SET parks accuracy reduced") == "+OK")
    asking.outcome.cancel()
  }
}

@Test(.patient, arguments: ["KEY ADD parks", "KEY ADD parks token"])
func `a key that cannot be saved is refused, and the log of the daemon has the cause`(command: String) async throws {
  let disk = Disk()
  let policy = Policy {
    $0.authorization.newAppAccuracy = [parks: .full]
    $0.keyedApps = [parks]
  }
  try await Bench(disk: try disk.recording(command), policy: policy).run { bench in
    let owner = try await bench.owner()
    disk.isFull = true
    #expect(try await owner.reply(to: command).hasPrefix("-ERR 513 "))
    disk.isFull = false
    #expect(try await owner.reply(to: command).hasPrefix("+OK "))
    #expect(bench.book.all.count { $0.hasPrefix("cannot save a key ") } == 1)
  }
}

@Test(.patient)
func `an owner reads that a restart undoes a change of which there is no copy`() async throws {
  let disk = Disk()
  try await Bench([record(.always)], disk: try disk.recording("no copy")).run { bench in
    let owner = try await bench.owner()
    // A folder with the name of the copy cannot be replaced by a file.
    try FileManager.default.createDirectory(atPath: bench.folder + "/unsaved/x", withIntermediateDirectories: true)
    disk.isFull = true
    #expect(try await owner.reply(to: "LOCK").contains("a restart of the daemon or a power cut undoes it"))
    // The gateway tries it again every 5 s.
    await bench.clock.pass(.milliseconds(10_100))
    #expect(bench.book.all.count { $0.hasPrefix("cannot copy unsaved changes ") } == 1)
  }
}
