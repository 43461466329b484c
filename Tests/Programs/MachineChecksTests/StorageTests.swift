import Base
import Configuration
import Testing

@testable import Features

private let files = StateFiles(
  state: "/var/lib/onefix", anchor: "/var/lib/onefix-anchor/anchor", key: "/etc/onefix/device.key", isKeyCreated: false)

private func checked(isSimulated: Bool = false, isAllowed: Bool = false, isKeyCreated: Bool = false) throws -> Subject {
  var subject = try subject { $0.isSimulated = isSimulated }
  subject.stateFiles = files
  subject.stateFiles?.isKeyCreated = isKeyCreated
  subject.configuration.allowsVolatileState = isAllowed
  return subject
}

private func stored(_ path: String, _ storage: Machine.Storage) -> Machine { machine { $0.storage[path] = storage } }

@Test(
  arguments: [
    (.memory("tmpfs"), "is in memory (tmpfs)"), (.memory("zram0"), "is in memory (zram0)"),
    (.overlay(changes: "tmpfs"), "is on an overlay whose changes are in memory (tmpfs)"),
    (.overlay(changes: nil), "is on an overlay, and the file system of its changes is not visible"),
  ] as [(Machine.Storage, String)], [files.state, files.anchor])
func `a state or an anchor that does not survive a stop of the machine prevents the start, unless it is permitted`(
  storage: (Machine.Storage, String), path: String
) throws {
  let machine = stored(path, storage.0)
  let found = try checked().findings(on: machine)
  #expect(brief(found) == ["error state-volatile \(path)"])
  #expect(found.first?.message.contains(storage.1) == true)
  #expect(found.first?.remedy?.contains("allow_volatile_state = true") == true)
  #expect(try checked().refusals(on: machine) == found)
  let allowed = try checked(isAllowed: true)
  #expect(brief(allowed.findings(on: machine)) == ["warning state-volatile \(path)"])
  #expect(allowed.findings(on: machine).first?.message.hasSuffix("(allow_volatile_state permits it)") == true)
  #expect(allowed.refusals(on: machine).isEmpty)
  // `onefix status` shows the warnings of the start.
  #expect(allowed.warnings(on: machine).map(\.code).contains("state-volatile"))
}

@Test(arguments: [files.state, files.anchor])
func `a file system without write access is an error that no key permits, and the daemon names it itself`(path: String)
  throws
{
  let found = try checked(isAllowed: true).findings(on: stored(path, .readOnly))
  #expect(brief(found) == ["error state-read-only \(path)"])
  #expect(try checked().refusals(on: stored(path, .readOnly)).isEmpty)
}

@Test func `durable files, files of unknown storage, and the files of a simulated board have no finding`() throws {
  #expect(try checked().findings(on: stored(files.state, .durable)).isEmpty)
  #expect(try checked().findings(on: machine()).isEmpty)
  let simulated = try checked(isSimulated: true)
  #expect(simulated.findings(on: stored(files.state, .memory("tmpfs"))).allSatisfy { $0.code != "state-volatile" })
}

@Test(arguments: [true, false], [true, false])
func `a key is checked if it exists, or if the daemon would create it`(exists: Bool, isKeyCreated: Bool) throws {
  let machine = machine {
    $0.storage[files.key] = .overlay(changes: "tmpfs")
    if exists { $0.files[files.key] = DeviceFile(path: files.key, kind: .other, mode: 0o600) }
  }
  let found = try checked(isKeyCreated: isKeyCreated).findings(on: machine)
  #expect(brief(found) == (exists || isKeyCreated ? ["error state-volatile \(files.key)"] : []))
}

@Test(arguments: [(0, true), (1_767_225_599, true), (1_767_225_600, false)] as [(Int64, Bool)])
func `a clock before 2026 is a warning of the check alone, because the running daemon knows when it is set`(
  seconds: Int64, isUnset: Bool
) throws {
  let machine = machine { $0.clock = UTCTime(nanosecondsSince1970: seconds * 1_000_000_000) }
  #expect(brief(try checked().findings(on: machine)) == (isUnset ? ["warning clock-unset clock"] : []))
  #expect(try checked().warnings(on: machine).map(\.code).contains("clock-unset") == false)
}
