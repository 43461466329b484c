import Authorization
import Base
import Foundation
import LineProtocol
import OperatingSystem
import SeededNumbers
import StateStore
import StoreScenario
import Testing

/// The pages of the database: their size decides how many bytes a press writes.
@Suite struct PageTests {
  // MARK: Bytes

  /// The bytes that the kernel writes to a disk: whole blocks of 4 KiB, again for each synchronization.
  private static func blockBytes(of changes: ArraySlice<Recording.Change>) -> Int {
    var (blocks, count) = ([Int: Set<Int>](), 0)
    for change in changes {
      switch change {
      case .write(let file, let offset, let bytes) where !bytes.isEmpty:
        blocks[file, default: []].formUnion(offset / 4096...(offset + bytes.count - 1) / 4096)
      case .synchronize(let file): count += blocks.removeValue(forKey: file)?.count ?? 0
      default: break
      }
    }
    return (count + blocks.values.reduce(0) { $0 + $1.count }) * 4096
  }

  private static func byteCount(of changes: ArraySlice<Recording.Change>) -> Int {
    changes.reduce(0) { count, change in
      if case .write(_, _, let bytes) = change { count + bytes.count } else { count }
    }
  }

  @Test func `a press writes at most 17 kB, and a region at most 8 kB`() throws {
    let source = try ScratchDirectory()
    defer { source.remove() }
    let recording = try Recording("bytes")
    try recording.record {
      let key = try DeviceKey(readingOrMaking: source.path + "/device.key")
      let store = try StateStore(directory: source.path + "/state", key: key, now: Scenario.clock(0))
      var record = AppRecord(app: Scenario.ferry)
      let entry = DisclosureEntry(
        app: Scenario.ferry, accuracy: .full, right: .once, transport: "unix", isSimulated: true)
      func press(_ number: Int64) throws {
        record.lastServed = number
        let opened = try store.openDisclosure(entry, record: record, now: Scenario.clock(1))
        try store.close([.outcome(.acknowledged, of: opened)], now: Scenario.clock(1))
      }
      for number: Int64 in 1...200 { try press(number) }
      var before = recording.changes.count
      for number: Int64 in 201...300 { try press(number) }
      #expect(Self.blockBytes(of: recording.changes[before...]) <= 100 * 17_000)
      before = recording.changes.count
      for number: Int64 in 1...1000 { try store.save(regions: [number: [UInt8](repeating: 1, count: 120)]) }
      let changes = recording.changes[before...]
      #expect(Self.blockBytes(of: changes) <= 1000 * 8000)
      // The program itself passes less than this to the kernel.
      #expect(Self.byteCount(of: changes) <= 5_000_000)
      store.close()
    }
  }

  /// SQLite has a journal while it begins to use the write-ahead log.
  @Test func `a new database gets its small pages without being rewritten`() throws {
    let source = try ScratchDirectory()
    defer { source.remove() }
    let recording = try Recording("new pages")
    try recording.record {
      let key = try DeviceKey(readingOrMaking: source.path + "/device.key")
      try StateStore(directory: source.path + "/state", key: key, now: Scenario.clock(0)).close()
    }
    let journals = recording.changes.filter { change in
      if case .create(let path, _) = change { path.hasSuffix("-journal") } else { false }
    }
    #expect(journals.count == 1)
    #expect(try Self.pageSize(source.path) == 1024)
  }

  // MARK: A database of an earlier version

  private static let fixtures =
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().path
    + "/StateStoreTests/Fixtures/"

  /// Copies a state with pages of 4 KiB to a directory, as changes that an observer can record.
  private static func copyState(to directory: String) throws {
    _ = unsafe mkdir(directory + "/state", 0o700)
    for name in ["device.key", "anchor", "state/onefix.sqlite", "state/onefix.sqlite-wal"] {
      let path = "\(directory)/\(name)"
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixtures + "format-7/" + name)))
      try FileStep.create(path).announce()
      try FileStep.write(path, offset: 0, bytes: bytes).announce()
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      _ = unsafe chmod(path, 0o600)
      try FileStep.synchronize(path).announce()
    }
    for path in [directory, directory + "/state"] { try FileStep.synchronizeDirectory(path).announce() }
  }

  private static func open(_ directory: String) throws -> StateStore {
    try StateStore(
      directory: directory + "/state", key: try DeviceKey(readingFrom: directory + "/device.key"),
      anchor: directory + "/anchor", now: Scenario.clock(100))
  }

  /// The size of the pages is in the header of the file. (SQLite file format, 1.3.2)
  private static func pageSize(_ directory: String) throws -> Int {
    let header = [UInt8](try Data(contentsOf: URL(fileURLWithPath: directory + "/state/onefix.sqlite")))
    return Int(header[16]) << 8 | Int(header[17])
  }

  private static func contents(_ directory: String) throws -> Scenario.Contents {
    let store = try open(directory)
    defer { store.close() }
    try #require(try store.verifyLog().isGood && store.stateFaults == [])
    return try Scenario.contents(of: store)
  }

  @Test func `after a power loss while an earlier database is rewritten, all its data is present`() throws {
    let directories = try (0..<3).map { _ in try ScratchDirectory() }
    defer { for directory in directories { directory.remove() } }
    let (source, undisturbed, scratch) = (directories[0].path, directories[1].path, directories[2])
    try Self.copyState(to: undisturbed)
    let expected = try Self.contents(undisturbed)
    #expect(try Self.pageSize(undisturbed) == 1024)
    let recording = try Recording("pages")
    try recording.record {
      try Self.copyState(to: source)
      recording.mark()
      try Self.open(source).close()
    }
    let changes = recording.changes
    var random = SplitMix64(seed: 8)
    var states = 0
    for count in 0...changes.count {
      let cut = PowerCut(changes, after: count)
      guard cut.steps > 0 else { continue }
      for kind in 0..<3 {
        let reached = cut.pending.map { _ in kind == 2 ? Bool.random(using: &random) : kind == 1 }
        try scratch.put(cut.files { reached[$0] }, from: source)
        #expect(try Self.contents(scratch.path) == expected, "cut \(count), \(kind)")
        states += 1
      }
    }
    #expect(states > 300)
  }

  @Test func `if the disk is full, an earlier database keeps its pages and its data`() throws {
    let directories = try (0..<2).map { _ in try ScratchDirectory() }
    defer { for directory in directories { directory.remove() } }
    try Self.copyState(to: directories[0].path)
    let expected = try Self.contents(directories[0].path)
    // 13 is SQLITE_FULL.
    let recording = try Recording("full pages") { change, path, _ in
      if case .write = change, path.hasSuffix("-journal") { 13 } else { 0 }
    }
    try Self.copyState(to: directories[1].path)
    #expect(try recording.record { try Self.contents(directories[1].path) } == expected)
    #expect(try Self.pageSize(directories[1].path) == 4096)
    #expect(try Self.contents(directories[1].path) == expected)
    #expect(try Self.pageSize(directories[1].path) == 1024)
  }
}
