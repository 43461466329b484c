import Authorization
import Base
import ControlledBoard
import Disclosure
import Foundation
import LineProtocol
import OperatingSystem
import RecordingClients
import Requirements
import SimulatedHardware
import StateStore
import TemporaryFiles
import Testing

@testable import Gateway

private let inside = 0.0
private let outside = 3000.0

extension Bench {
  /// Registers the region "home" for an app that subscribes to its events, and moves the receiver outside.
  fileprivate func watch(_ app: Talker) async throws {
    try await app.reply(to: "SUB region/# r")
    try await app.register()
    await stand(north: outside)
  }
}

@Test(.patient)
func `an app with always is notified, with the indicator on and the entry in the log`() async throws {
  try await Bench([record(.always)]).run { bench, app, owner in
    #expect(await app.received[0].contains(" maxregions=20 "))
    #expect(await app.received[0].hasSuffix(" caps=qos1,retain,regions,crc"))
    #expect(try await app.reply(to: "SUB region/home r") == "+OK")
    #expect(try await app.register() == "+OK")
    #expect(try await bench.state(owner) == "unknown")
    await bench.stand(north: outside)
    #expect(try await bench.state(owner) == "outside")
    #expect(await app.received("MSG").isEmpty, "where it is first is no event")
    #expect(await bench.log.isEmpty && !bench.indicator.isLit)
    await bench.stand(north: inside)
    #expect(try await app.next("MSG") == #"MSG region/home r {"event":"enter"}"#)
    #expect(bench.indicator.isLit)
    let log = await bench.log.map(\.event)
    guard case .disclosure(let entry)? = log.first, log.count == 2 else { throw Missing() }
    #expect(entry.right == .always && entry.accuracy == .full && entry.app.name == "parks")
    #expect(log.last == .outcome(.region, of: 1))
    #expect(try await bench.state(owner) == "inside")
    await bench.stand(north: outside)
    #expect(try await app.next("MSG") == #"MSG region/home r {"event":"exit"}"#)
    #expect(await bench.log.count == 4)
    #expect(await owner.received("MSG owner/notification").isEmpty)
  }
}

@Test(.patient)
func `an event that the app's share of the log does not allow is not counted as reported`() async throws {
  try await Bench([record(.always)]).run { bench, app in
    try await bench.watch(app)
    await bench.gateway.useEntries(of: parks)
    await bench.stand(north: inside)
    try await app.reply(to: "STATUS")
    #expect(await app.received("MSG region/").isEmpty)
    #expect(await bench.log.isEmpty)
    #expect(await bench.gateway.metrics().lines.contains("onefix_region_events_total 0"))
  }
}

@Test(.patient)
func `each subscribed session of the app is notified, and no other app`() async throws {
  try await Bench([record(.always), record(.always, of: "ferry")]).run { bench in
    let talkers = [try await bench.app(), try await bench.app(), try await bench.app(), try await bench.app("ferry")]
    for (talker, filter) in zip(talkers, ["region/+", "region/other", "#", "#"]) {
      #expect(try await talker.reply(to: "SUB \(filter) r") == "+OK")
    }
    try await talkers[0].register()
    await bench.stand(north: outside)
    await bench.stand(north: inside)
    for talker in talkers { try await talker.reply(to: "STATUS") }
    var told: [Int] = []
    for talker in talkers { told.append(await talker.received("MSG region/").count) }
    #expect(told == [1, 0, 1, 0])
    #expect(await bench.log.count == 4, "an entry, and its outcome, for each session")
  }
}

@Test(
  .patient,
  arguments: [
    record(.whenInUse), record(.always, accuracy: .reduced), record(.whenInUse, provisional: true, accuracy: .reduced),
  ])
func `without always the owners are notified, and nothing is disclosed`(record: AppRecord) async throws {
  try await Bench([record]).run { bench, app, owner in
    try await app.reply(to: "SUB # all")
    try await app.register(text: "Buy milk, \"two\"")
    let told = await app.received.count
    await bench.stand(north: outside)
    for (position, event) in [(inside, "enter"), (outside, "exit")] {
      await bench.stand(north: position)
      let news = #"{"app":"parks","name":"parks","region":"home","event":"\#(event)","says":"Buy milk, 'two'","time":"#
      #expect(try await owner.next("MSG owner/notification").hasPrefix("MSG owner/notification news \(news)"))
    }
    #expect(try await app.reply(to: "PING") == "PONG")
    #expect(await app.received.count == told + 1)
    #expect(await bench.log.isEmpty)
  }
}

@Test(.patient)
func `a provisional app is notified after the user answers "always"`() async throws {
  try await Bench([record(.whenInUse, provisional: true)]).run { bench, app, owner in
    try await bench.watch(app)
    await bench.stand(north: inside)
    #expect(try await owner.next("MSG owner/prompt").contains(#""kind":"always""#))
    #expect(await app.received("MSG region/").isEmpty)
    #expect(try await owner.reply(to: "ANSWER 1 always") == "+OK")
    #expect(try await app.next("MSG region/") == #"MSG region/home r {"event":"enter"}"#)
  }
}

@Test(.patient)
func `a region command without permission is refused with its code`() async throws {
  let records = [
    record(.notDetermined, of: "new"), record(.denied, of: "no"), record(.whenInUse, of: "while"),
    record(.always, of: "never"),
  ]
  var policy = Policy()
  policy.authorization.restrictedApps = [AppID("never")!]
  try await Bench(records, policy: policy).run { bench in
    for (app, code) in [("new", "410"), ("no", "411"), ("never", "412")] {
      let talker = try await bench.app(app)
      #expect(try await talker.register().hasPrefix("-ERR \(code) "))
      #expect(try await talker.list("REGION LIST") == [])
    }
    let app = try await bench.app("while")
    #expect(try await app.register("r1") == "+OK")
    #expect(try await app.reply(to: "REGION DEL other").hasPrefix("-ERR 405 "))
    #expect(try await app.register("r1", radius: 99).hasPrefix("-ERR 405 "))
    let owner = try await bench.owner()
    #expect(try await owner.reply(to: "REGION LIST").hasPrefix("-ERR 403 "))
    #expect(try await owner.reply(to: "SUB region/r1 r").hasPrefix("-ERR 404 "))
    #expect(try await owner.reply(to: "REGIONS app=nobody").hasPrefix("-ERR 405 "))
    #expect(try await app.reply(to: "REGIONS").hasPrefix("-ERR 432 "))
    try await owner.reply(to: "LOCK")
    #expect(try await app.register("r1", radius: 300).hasPrefix("-ERR 414 "))
  }
}

@Test(.patient)
func `without the owner's configuration there are no regions, and none are stored`() async throws {
  let folder = try TemporaryDirectory()
  var bench = try await Bench([record(.always)], in: folder)
  try await bench.app().register()
  await bench.stop()
  bench = try await Bench(in: folder, allowsRegions: false)
  let app = try await bench.app()
  #expect(await app.received[0].contains("maxregions") == false)
  #expect(await app.received[0].hasSuffix(" caps=qos1,retain,crc"))
  for line in ["REGION LIST", "REGION DEL home", "REGION ADD home 0 0 100 enter :x"] {
    #expect(try await app.reply(to: line).hasPrefix("-ERR 412 restricted "))
  }
  await bench.stop()
  bench = try await Bench(in: folder)
  #expect(try await bench.app().list("REGION LIST") == [])
  await bench.stop()
}

@Test(.patient)
func `an app's list has the values that it registered, and owners can list the regions of one app`() async throws {
  try await Bench([record(.whenInUse), record(.always, of: "ferry")]).run { bench in
    let (app, ferry, owner) = (try await bench.app(), try await bench.app("ferry"), try await bench.owner())
    #expect(try await app.reply(to: "REGION ADD zoo 47.385 -8.574 150.5 exit :Lions") == "+OK")
    try await ferry.register("pier")
    try await app.register()
    let zoo = #"{"id":"zoo","lat":47.385,"lon":-8.574,"radius":150.5,"events":"exit","text":"Lions"}"#
    let list = try await app.list("REGION LIST")
    #expect(list.count == 2 && list[0] == "MSG regions - \(zoo)" && list[1].contains(#""radius":200.0"#))
    #expect(try await owner.list("REGIONS").count == 3)
    #expect(try await owner.list("REGIONS app=ferry").map { $0.contains(#""id":"pier""#) } == [true])
    #expect(try await app.reply(to: "REGION DEL zoo") == "+OK")
    #expect(try await app.list("REGION LIST").count == 1)
    #expect(try await ferry.list("REGION LIST").count == 1)
  }
}

@Test(.patient)
func `while the gateway is locked no region is watched, and a crossing meanwhile is never an event`() async throws {
  try await Bench([record(.always), record(.whenInUse, of: "while")]).run { bench in
    let (app, other, owner) = (try await bench.app(), try await bench.app("while"), try await bench.owner())
    try await bench.watch(app)
    try await other.register()
    await bench.stand(north: outside)
    try await owner.reply(to: "LOCK")
    #expect(try await bench.state(owner) == "unknown")
    await bench.stand(north: inside)
    #expect(try await bench.state(owner) == "unknown")
    _ = await bench.button.press(for: .milliseconds(3100))
    await bench.stand(north: inside)
    #expect(try await bench.state(owner) == "inside")
    #expect(await app.received("MSG region/").isEmpty)
    #expect(await owner.received("MSG owner/notification").isEmpty)
    await bench.stand(north: outside)
    #expect(try await app.next("MSG region/") == #"MSG region/home r {"event":"exit"}"#)
  }
}

@Test(.patient)
func `an app that loses its right loses its regions, and an app whose right is reduced keeps them`() async throws {
  try await Bench([record(.always)]).run { bench, app, owner in
    try await app.register()
    try await owner.reply(to: "SET parks status whenInUse")
    try await owner.reply(to: "SET parks accuracy reduced")
    #expect(try await app.list("REGION LIST").count == 1)
    for order in ["RESET parks", "SET parks status denied", "SET parks status notDetermined"] {
      #expect(try await app.register() == "+OK")
      try await owner.reply(to: order)
      #expect(try await owner.list("REGIONS") == [])
      try await owner.reply(to: "SET parks status always")
      #expect(try await app.list("REGION LIST") == [])
    }
  }
}

@Test(
  .patient,
  arguments: [
    nil, "SET parks status whenInUse", "SET parks accuracy reduced", "SET parks status denied", "RESET parks", "LOCK",
  ] as [String?])
func `an event waits for the indicator, and is discarded if the indicator stays dark or the right is revoked`(
  order: String?
) async throws {
  try await Bench([record(.always)]).run { bench, app, owner in
    try await bench.watch(app)
    bench.indicator.fault = .dark
    await bench.stand(north: inside)
    #expect(await bench.gateway.hasCrossing)
    if let order {
      #expect(try await owner.reply(to: order).hasPrefix("+OK"))
      bench.indicator.fault = nil
    }
    await bench.clock.pass(IndicatorDriver.senseTime)
    #expect(await !bench.gateway.hasCrossing)
    bench.indicator.fault = nil
    try await app.reply(to: "PING")
    #expect(await app.received("MSG region/").isEmpty)
    #expect(await bench.log.isEmpty)
    guard order == nil else { return }
    await bench.stand(north: outside)
    #expect(try await app.next("MSG region/") == #"MSG region/home r {"event":"exit"}"#)
  }
}

@Test(.patient)
func `an event waits for a lost client, and the region of an absent app is checked when the app returns`() async throws
{
  try await Bench([record(.always)]).run { bench, app, owner in
    try await bench.watch(app)
    try await bench.loseConnection(of: app)
    await bench.stand(north: inside)
    #expect(try await bench.state(owner) == "inside")
    let back = try await bench.app("parks", "session=\(try await app.token)")
    #expect(try await back.next("MSG region/") == #"MSG region/home r {"event":"enter"}"#)
    try await back.reply(to: "BYE")
    await bench.stand(north: outside)
    #expect(try await bench.state(owner) == "inside")
    let later = try await bench.app()
    try await later.reply(to: "SUB region/# r")
    await bench.stand(north: outside)
    #expect(try await later.next("MSG region/") == #"MSG region/home r {"event":"exit"}"#)
  }
}

@Test(.patient)
func `regions survive a restart: an event comes only with a crossing, also one while the gateway was off`() async throws
{
  let folder = try TemporaryDirectory()
  var bench = try await Bench([record(.always), record(.whenInUse, of: "while")], in: folder)
  let talkers = [try await bench.app(), try await bench.app("while")]
  for talker in talkers { try await talker.register() }
  await bench.stand(north: inside)
  await bench.stop()
  for (position, events) in [(inside, 0), (outside, 1), (outside, 0)] {
    bench = try await Bench(in: folder)
    let (app, other, owner) = (try await bench.app(), try await bench.app("while"), try await bench.owner())
    try await app.reply(to: "SUB region/# r")
    #expect(try await bench.state(owner) == (position == outside && events == 0 ? "outside" : "inside"))
    await bench.stand(north: position)
    await bench.stand(north: position)
    try await app.reply(to: "PING")
    try await other.reply(to: "PING")
    #expect(await app.received("MSG region/").count == events)
    #expect(await owner.received("MSG owner/notification").count == events)
    await bench.stop()
  }
}

@Test(.patient)
func `the receiver is on while an app waits or has updates, or regions are watched`() async throws {
  let power = RecordingPowerSwitch()
  try await Bench([record(.whenInUse)], power: power).run { bench in
    let owner = try await bench.owner()
    let add = "REGION ADD home 47.3766666667 8.5416666667 200 enter :Buy milk"
    /// Waits for the power after a command. The gateway switches it after it has replied to the command that changes it,
    /// and on a busy machine also after it has replied to a later command.
    func expect(isOn: Bool, after line: String, of talker: Talker) async throws {
      try await talker.reply(to: line)
      try await owner.reply(to: "PING")
      await bench.until { _ in power.isOn == isOn }
      #expect(power.isOn == isOn, "\(line)")
    }
    try await expect(isOn: false, after: "PING", of: owner)
    let app = try await bench.app()
    try await expect(isOn: true, after: add, of: app)
    try await expect(isOn: false, after: "LOCK", of: owner)
    _ = await bench.button.press(for: .milliseconds(3100))
    try await expect(isOn: true, after: "PING", of: owner)
    try await expect(isOn: false, after: "REGION DEL home", of: app)
    try await expect(isOn: true, after: "REQ once", of: app)
    try await expect(isOn: false, after: "CANCEL", of: app)
    try await owner.reply(to: "USE parks")
    try await expect(isOn: true, after: "START updates", of: app)
    await bench.receive(nmea("GNGGA,073101.00,4722.6133,N,00832.5016,E,1,11,0.8,408.2,M,47.3,M,,"))
    await bench.until { $0.router.receiver.latest != nil }
    try await expect(isOn: false, after: "STOP updates", of: app)
    // A receiver that is off has no fix.
    await bench.until { $0.router.receiver.latest == nil }
    // The owners watch a region whether or not its app is connected, but not if the app receives the event itself.
    try await app.reply(to: add)
    try await expect(isOn: true, after: "BYE", of: app)
    try await expect(isOn: false, after: "SET parks status always", of: owner)
    _ = try await bench.app()
    try await expect(isOn: true, after: "PING", of: owner)
  }
}

@Test(.patient)
func `on a full disk a change is refused, nothing is lost, and no event is sent without a log entry`() async throws {
  let disk = Disk()
  let folder = try TemporaryDirectory()
  var bench = try await Bench([record(.always)], in: folder, disk: try disk.recording("regions"))
  var app = try await bench.app()
  var owner = try await bench.owner()
  try await bench.watch(app)
  disk.isFull = true
  #expect(try await app.register("other").hasPrefix("-ERR 513 store "))
  #expect(try await app.reply(to: "REGION DEL home").hasPrefix("-ERR 513 store "))
  #expect(try await app.list("REGION LIST").count == 1)
  await bench.stand(north: inside)
  try await app.reply(to: "PING")
  #expect(await app.received("MSG region/").isEmpty)
  disk.isFull = false
  await bench.stand(north: inside)
  #expect(await bench.log.isEmpty)
  await bench.stop()
  // The side that could not be written at first was written when there was space.
  bench = try await Bench(in: folder)
  (app, owner) = (try await bench.app(), try await bench.owner())
  #expect(try await app.list("REGION LIST").count == 1)
  #expect(try await bench.state(owner) == "inside")
  await bench.stop()
}

@Test(.patient)
func `no log message, error or owner's message contains a coordinate of a region or of the device`() async throws {
  try await Bench([record(.always), record(.whenInUse, of: "while")]).run { bench in
    let (app, other, owner) = (try await bench.app(), try await bench.app("while"), try await bench.owner())
    for talker in [app, other] {
      try await talker.reply(to: "SUB region/# r")
      try await talker.register()
      try await talker.reply(to: "REGION ADD bad 47.3766666667 8.5416666667 20 enter :x")
      for _ in 0..<21 { try await talker.register(radius: Int.random(in: 200...300)) }
    }
    for position in [outside, inside, outside] { await bench.stand(north: position) }
    _ = try await owner.list("REGIONS")
    try await owner.reply(to: "LOG")
    _ = try await app.next("MSG region/")
    var said = bench.book.all + [String](await owner.view)
    said += await app.view + other.view
    #expect(said.contains { $0.contains("a region's event was reported") })
    for line in said { #expect(!line.contains("47.3") && !line.contains("8.54") && !line.contains("4722")) }
  }
}
