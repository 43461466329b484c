import Authorization
import Base
import ControlledBoard
import Foundation
import Hardware
import LineProtocol
import Requirements
import StateStore
import TemporaryFiles
import Testing

@testable import Gateway

@Test(
  .patient,
  arguments: [
    "SET parks status denied", "RESET parks", "SET parks accuracy reduced", "LOCK", "PLACE DENY parks harbour",
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
func `a change that could not be saved is saved as soon as the disk works again`() async throws {
  let disk = Disk()
  try await Bench([record(.always)], disk: try disk.recording("saved later")).run { bench in
    let owner = try await bench.owner()
    disk.isFull = true
    #expect(try await owner.reply(to: "SET parks status denied").hasPrefix("-ERR 514 "))
    #expect(FileManager.default.fileExists(atPath: bench.folder + "/unsaved"))
    disk.isFull = false
    await bench.clock.pass(.seconds(6))
    #expect(await bench.gateway.ownerStatus["store-fault"] == nil)
    #expect(await bench.gateway.snapshot(entries: 0).indication == .off)
    #expect(!FileManager.default.fileExists(atPath: bench.folder + "/unsaved"))
    #expect(try await owner.reply(to: "SET parks accuracy reduced") == "+OK")
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
  }
}
