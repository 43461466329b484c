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
  #expect(try store.lastAnchor()?.sequence == 0 && store.verifyLog().isGood)
}

@Test func `a missing, empty or changed anchor is reported and not replaced`() throws {
  let logged = try LoggedStore()
  let good = try #require(logged.directory.read("anchor"))
  var changes: [[UInt8]] = [[], Array("\n\n".utf8)]
  for index in stride(from: 0, to: good.count, by: 3) where good[index] != UInt8(ascii: "\n") {
    var changed = good
    changed[index] ^= 1
    changes.append(changed)
  }
  for changed in changes {
    try logged.directory.write(changed, to: "anchor")
    let store = try logged.open()
    #expect(try store.verifyLog().faults == [.anchorChanged])
    #expect(try store.anchor(now: clock()) == .anchorChanged)
    #expect(logged.directory.read("anchor") == changed)
  }
  _ = unsafe unlink(logged.anchor)
  let store = try logged.open()
  #expect(try store.verifyLog().faults == [.anchorMissing] && store.anchor(now: clock()) == .anchorMissing)
  #expect(logged.directory.read("anchor") == nil)
  // An owner who knows the cause can renew the anchor.
  try store.renewAnchor(now: clock(99))
  #expect(try store.verifyLog().isGood && store.lastAnchor()?.time == clock(99).utc)
}

@Test func `a new anchor replaces damaged anchors and an empty file, but no file of another program`() throws {
  let logged = try LoggedStore()
  let store = try logged.open()
  let damaged = Array("1 9 0123".utf8)
  for content in [damaged, [], Array("\n".utf8)] {
    try logged.directory.write(content, to: "anchor")
    try store.renewAnchor(now: clock(9))
    #expect(try store.verifyLog().isGood)
  }
  for text in ["board = \"simulated\"\n", "12 apples\n", "1\n", "1 apple\n", "\0\u{FF}"] {
    try logged.directory.write(Array(text.utf8), to: "anchor")
    let error = try #require(throws: StoreError.self) { try store.renewAnchor(now: clock(9)) }
    #expect(error.kind == .unsuitable && error.object == logged.anchor)
    #expect(logged.directory.read("anchor") == Array(text.utf8))
  }
}

@Test func `an anchor of another form is invalid, even if its code is right`() throws {
  let chain = LogChain(key)
  func anchor(_ text: String) -> LogAnchor? {
    LogAnchor(line: "\(text) \(chain.code(ofAnchor: text).hexadecimal)", chain)
  }
  let (code, time) = ([UInt8](repeating: 7, count: 32).hexadecimal, clock().utc.iso8601)
  let first = try #require(anchor("1 0 \(code) \(time)"))
  #expect((first.sequence, first.code.hexadecimal, first.time, first.rightsRevision) == (0, code, clock().utc, nil))
  #expect(anchor("2 9 \(code) 5 \(time)")?.rightsRevision == 5)
  for text in [
    "", "1", "2", "0 0 \(code) \(time)", "3 0 \(code) \(time)", "3 0 \(code) 5 \(time)", "1 0 \(code)",
    "1 0 \(code) 5 \(time)", "2 0 \(code) \(time)", "2 0 \(code) 5 6 \(time)", "1 -1 \(code) \(time)",
    "1 one \(code) \(time)", "1 0 \(code.dropLast(2)) \(time)", "1 0 \(code)07 \(time)", "1 0 code \(time)",
    "1 0 \(code) noon",
  ] {
    #expect(anchor(text) == nil, "\(text)")
  }
  #expect(LogAnchor(line: "1 0 \(code) \(time) \(code)", chain) == nil)
}

@Test(arguments: [(65_536, []), (65_537, [.anchorChanged])] as [(Int, [LogFault])])
func `an anchor file has at most 64 KiB`(count: Int, faults: [LogFault]) throws {
  let logged = try LoggedStore()
  let lines = try #require(logged.directory.read("anchor")).dropLast()
  let breaks = [UInt8](repeating: UInt8(ascii: "\n"), count: count - lines.count)
  try logged.directory.write(breaks + lines, to: "anchor")
  #expect(try logged.open().verifyLog().faults == faults)
}

@Test func `an anchor file that cannot be read is an error, and not a fault of the log`() throws {
  let directory = try TemporaryDirectory()
  try directory.makeFolder("anchor")
  let store = try directory.openAnchored()
  #expect(throws: StoreError("read", directory.path("anchor"), errno: EISDIR)) { try store.verifyLog() }
}

@Test func `an anchor is compared with the log until a later entry is pruned`() throws {
  let logged = try LoggedStore()
  let path = logged.directory.path("replaced")
  do {
    // The log of the same device has other entries.
    let store = try StateStore(directory: path, key: key, now: clock())
    for step in Int64(1)...4 { try store.disclose(now: clock(step * 3600 + 7)) }
    #expect(try store.prune(before: clock(4 * 3600).utc, now: clock(9 * 3600)) == 6)
  }
  let store = try StateStore(directory: path, key: key, anchor: logged.anchor, now: clock())
  #expect(try store.verifyLog().faults == [.notAsAnchored(6, clock(3 * 3600 + 2).utc, end: 8)])
  #expect(try store.prune(before: clock(5 * 3600).utc, now: clock(9 * 3600)) == 2)
  #expect(try store.verifyLog().faults == [])
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
  #expect(try old.anchor(now: clock()) != nil)
}

@Test func `the store stays usable if the anchor cannot be written`() throws {
  let directory = try TemporaryDirectory()
  let anchor = directory.path("nowhere/anchor")
  let store = try StateStore(directory: directory.path("state"), key: key, anchor: anchor, now: clock())
  #expect(try store.openDisclosure(entry(), record: served(ferry, 1), now: clock()) == 1)
  let error = try #require(throws: StoreError.self) { try store.renewAnchor(now: clock()) }
  #expect(error.operation == "write the anchor of the log")
  #expect(
    error.remedy
      == "make \(directory.path)/nowhere a folder that this user can write, or choose another file with --anchor")
  #expect(try store.verifyLog().faults == [.anchorMissing])
}
