import Authorization
import ControlledBoard
import Disclosure
import Foundation
import LineProtocol
import RecordingClients
import Requirements
import StateStore
import TemporaryFiles
import Testing

@testable import Gateway

private let centre = "47.3766666667 8.5416666667"

extension Gateway {
  /// The places with the sides of the borders, as bytes without encryption.
  fileprivate var encodedPlaces: [UInt8]? { try? router.disclosures.places.get().encoded }

  /// The apps that may know a name.
  var appsWithNames: [AppID] { router.appsWithNames }
}

extension Talker {
  /// Adds the place "harbour", whose name the apps may know.
  func allowHarbour(_ apps: String...) async throws {
    #expect(try await reply(to: "PLACE ADD harbour 300 \(centre)") == "+OK")
    for app in apps { #expect(try await reply(to: "PLACE ALLOW \(app) harbour") == "+OK") }
  }
}

@Test(.patient)
func `an owner can deny all names to an app that left the configuration`() async throws {
  try await Bench().run { bench in
    let (app, owner) = (try await bench.app("gone"), try await bench.owner())
    try await owner.allowHarbour("gone")
    try await app.hangUp(after: "BYE\n")
    while try await !owner.list("SESSIONS").isEmpty {}
    #expect(try await owner.list("APPS").contains { $0.contains(#""app":"gone""#) })
    #expect(try await owner.reply(to: "PLACE DENY gone") == "+OK")
    #expect(try await owner.list("APPS").isEmpty)
    #expect(try await owner.reply(to: "PLACE DENY gone").hasPrefix("-ERR 405 "))
  }
}

@Test(.patient)
func `a reset of an app also withdraws its names`() async throws {
  try await Bench([record(.always, accuracy: .place), record(.always, of: "other")]).run { bench in
    let owner = try await bench.owner()
    try await owner.allowHarbour("parks", "other")
    #expect(try await owner.reply(to: "RESET parks") == "+OK")
    #expect(
      try await owner.list("PLACE LIST")
        == [#"MSG owner/places - {"name":"harbour","radius":300.0,"apps":"other"}"#])
  }
}

@Test(.patient, arguments: ["PLACE DENY parks harbour", "PLACE DEL harbour"])
func `a withdrawn name is not used after a failed write, and a new name is not used before it is written`(
  withdrawal: String
) async throws {
  let disk = Disk()
  let recording = try disk.recording("places-\(UInt64.random(in: .min ... .max))")
  try await Bench([record(.always, accuracy: .place)], disk: recording).run { bench in
    let owner = try await bench.owner()
    try await owner.allowHarbour("parks")
    #expect(await bench.gateway.appsWithNames.map(\.name) == ["parks"])
    disk.isFull = true
    #expect(try await owner.reply(to: withdrawal).hasPrefix("-ERR 514 "))
    #expect(await bench.gateway.appsWithNames.isEmpty)
    let places = try await owner.list("PLACE LIST")
    #expect(try await owner.reply(to: "PLACE ADD mooring 300 \(centre)").hasPrefix("-ERR 513 "))
    #expect(try await owner.list("PLACE LIST") == places)
    #expect(bench.book.all.contains { $0.hasPrefix("cannot write the places ") })
    disk.isFull = false
    #expect(try await owner.reply(to: "PLACE ADD mooring 300 \(centre)") == "+OK")
    #expect(await bench.gateway.appsWithNames.isEmpty)
  }
}

@Test(.patient)
func `regions and places that cannot be read are neither listed, changed nor overwritten`() async throws {
  let folder = try TemporaryDirectory()
  let first = try await Bench([record(.always)], in: folder)
  await first.stop()
  try first.stored { store in
    try store.seal([99, 1, 2, 3], as: "regions")
    try store.seal([9], as: SealedPlaces.name)
  }
  let bench = try await Bench(in: folder)
  let (app, owner) = (try await bench.app(), try await bench.owner())
  #expect(try await app.register().hasPrefix("-ERR 513 store "))
  for command in ["PLACE LIST", "PLACE DENY parks", "PLACE ADD harbour 300 \(centre)"] {
    #expect(try await owner.reply(to: command).hasPrefix("-ERR 513 "), "\(command)")
  }
  #expect(try await owner.reply(to: "RESET parks") == "+OK")
  #expect(bench.book.all.contains { $0.contains("cannot watch regions") && $0.contains("regions = false") })
  await bench.stop()
  let kept = try bench.stored { try $0.unseal("regions") }
  #expect(kept == [99, 1, 2, 3])
}

@Test(.patient)
func `the gateway forgets the sides of places when the kill switch is switched on or off, also on the disk`()
  async throws
{
  let bench = try await Bench([record(.always)])
  let owner = try await bench.owner()
  try await owner.allowHarbour()
  let unknown = await bench.gateway.encodedPlaces
  await bench.stand(north: 0)
  #expect(await bench.gateway.encodedPlaces != unknown)
  await bench.gateway.handle(.lockOrdered)
  #expect(await bench.gateway.encodedPlaces == unknown)
  await bench.stand(north: 0)
  #expect(await bench.gateway.encodedPlaces == unknown, "a locked gateway watches no place")
  await bench.gateway.handle(.held(Hold(button: "main", down: bench.clock.now, multiple: 1)))
  #expect(await !bench.gateway.snapshot(entries: 0).isLocked)
  #expect(await bench.gateway.encodedPlaces == unknown)
  await bench.stand(north: 0)
  #expect(await bench.gateway.encodedPlaces != unknown)
  await bench.stop()
  let saved = try bench.stored { try $0.unseal(SealedPlaces.name) }
  #expect(saved == unknown)
}
