import Base
import Glibc
import TemporaryFiles
import Testing

@testable import StateStore

@Test func `the anchor file has mode 0600 and keeps the anchors of one day`() throws {
  let logged = try LoggedStore()
  let store = try logged.open()
  for hour in Int64(0)..<40 { #expect(try store.anchor(now: clock(hour * 3600)) == nil) }
  #expect(logged.directory.mode("anchor") == 0o600)
  let lines = String(decoding: try #require(logged.directory.read("anchor")), as: UTF8.self).split(separator: "\n")
  #expect(lines.count == 24)
  #expect(try store.lastAnchor()?.time == clock(39 * 3600).utc)
  #expect(try store.verifyLog().isGood)
  #expect(logged.directory.names.sorted() == ["anchor", "state"])
}

@Test func `a new store writes its first anchor before its first entry`() throws {
  let directory = try TemporaryDirectory()
  let store = try directory.openAnchored()
  #expect(try store.lastAnchor()?.sequence == 0)
  #expect(try store.verifyLog().isGood)
}

@Test func `a missing or changed anchor is reported and not replaced`() throws {
  let logged = try LoggedStore()
  let good = try #require(logged.directory.read("anchor"))
  for index in stride(from: 0, to: good.count, by: 3) where good[index] != UInt8(ascii: "\n") {
    var changed = good
    changed[index] ^= 1
    try logged.directory.write(changed, to: "anchor")
    let store = try logged.open()
    #expect(try store.verifyLog().faults == [.anchorChanged])
    #expect(try store.anchor(now: clock()) == .anchorChanged)
    #expect(logged.directory.read("anchor") == changed)
  }
  _ = unsafe unlink(logged.anchor)
  let store = try logged.open()
  #expect(try store.verifyLog().faults == [.anchorMissing])
  #expect(try store.anchor(now: clock()) == .anchorMissing)
  #expect(logged.directory.read("anchor") == nil)
  // An owner who knows the cause can renew the anchor.
  try store.renewAnchor(now: clock(99))
  #expect(try store.verifyLog().isGood)
  #expect(try store.lastAnchor()?.time == clock(99).utc)
}

@Test func `a new store with the anchor of an old one reports that the log was removed`() throws {
  let logged = try LoggedStore()
  let path = logged.directory.path("new")
  let store = try StateStore(directory: path, key: key, anchor: logged.anchor, now: clock())
  #expect(try store.verifyLog().faults == [.notAsAnchored(6, clock(3 * 3600 + 2).utc, end: 0)])
  #expect(try store.anchor(now: clock()) != nil)
}

@Test func `an older copy of the database is detected`() throws {
  let logged = try LoggedStore()
  try logged.directory.copy(["onefix.sqlite"], from: "state", to: "copy")
  do {
    let store = try logged.open()
    _ = try store.openDisclosure(entry(), record: served(ferry, 9), now: clock(9 * 3600))
    #expect(try store.anchor(now: clock(9 * 3600)) == nil)
  }
  let old = try StateStore(directory: logged.directory.path("copy"), key: key, anchor: logged.anchor, now: clock())
  #expect(try old.verifyLog().faults == [.notAsAnchored(9, clock(9 * 3600).utc, end: 8)])
}

@Test func `the store stays usable if the anchor cannot be written`() throws {
  let directory = try TemporaryDirectory()
  let anchor = directory.path("nowhere/anchor")
  let store = try StateStore(directory: directory.path("state"), key: key, anchor: anchor, now: clock())
  #expect(try store.openDisclosure(entry(), record: served(ferry, 1), now: clock()) == 1)
  let error = try #require(throws: StoreError.self) { try store.renewAnchor(now: clock()) }
  #expect(error.operation == "write the anchor of the log")
  #expect(error.remedy == "make \(directory.path)/nowhere writable for this user, or choose another file with --anchor")
  #expect(try store.verifyLog().faults == [.anchorMissing])
}
