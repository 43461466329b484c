import Base
import Glibc
import OperatingSystem
import Synchronization
import TemporaryFiles
import Testing

@testable import StateStore

@Test func `a key is created once with mode 0600, and read afterwards`() throws {
  let directory = try TemporaryDirectory()
  let path = directory.path("device.key")
  let made = try DeviceKey(readingOrMaking: path)
  let content = try #require(directory.read("device.key"))
  #expect(content.count == 32 && directory.mode("device.key") == 0o600)
  #expect(directory.names == ["device.key"])
  for again in [try DeviceKey(readingOrMaking: path), try DeviceKey(readingFrom: path)] {
    #expect(again.derive("x").bytes == made.derive("x").bytes)
  }
  #expect(directory.read("device.key") == content)
  let other = try DeviceKey(readingOrMaking: directory.path("other.key"))
  #expect(other.derive("x").bytes != made.derive("x").bytes)
}

@Test func `if another process creates the key first, its key is used`() throws {
  let directory = try TemporaryDirectory()
  let made = try observingFiles({ step in
    if case .link = step { try? directory.write([UInt8](repeating: 7, count: 32), to: "device.key") }
    return 0
  }) { try DeviceKey(readingOrMaking: directory.path("device.key")) }
  #expect(made.derive("x").bytes == key.derive("x").bytes && directory.names == ["device.key"])
}

@Test func `if a new key cannot be linked to its path, the error has this path and no file stays`() throws {
  let directory = try TemporaryDirectory()
  let path = directory.path("device.key")
  let link = Mutex<FileStep?>(nil)
  let error = try #require(throws: StoreError.self) {
    try observingFiles({ step in
      if case .link(let draft, _) = step {
        link.withLock { $0 = step }
        // The call `link` fails without its source.
        _ = unsafe unlink(draft)
      }
      return 0
    }) { try DeviceKey(readingOrMaking: path) }
  }
  #expect(error == StoreError("create the device key", path, errno: ENOENT))
  guard case .link(let draft, to: path) = link.withLock({ $0 }) else { throw error }
  #expect(draft.hasPrefix(path + ".") && draft.hasSuffix(".new"))
  #expect(directory.names == [])
}

/// The steps are in the order in which a key is created. The draft has a random name.
@Test(
  arguments: [
    (0, "create the device key", nil, []), (1, "write", nil, []), (2, "write", nil, []),
    (3, "create the device key", "/device.key", []), (4, "write", "", ["device.key"]),
  ] as [(Int, String, String?, [String])])
func `if a step of the creation of a key fails, the error names it and no draft stays`(
  failing: Int, operation: String, object: String?, names: [String]
) throws {
  let directory = try TemporaryDirectory()
  let path = directory.path("device.key")
  let steps = Mutex<[FileStep]>([])
  let error = try #require(throws: StoreError.self) {
    try observingFiles({ step in
      steps.withLock { steps in
        steps.append(step)
        return steps.count == failing + 1 ? EIO : 0
      }
    }) { try DeviceKey(readingOrMaking: path) }
  }
  guard case .create(let draft) = steps.withLock({ $0.first }) else { throw error }
  #expect(error.operation == operation && error.kind == .failed)
  #expect(error.object == object.map { directory.path + $0 } ?? draft)
  #expect(directory.names == names)
}

/// The expected value comes from another implementation of RFC 5869: SHA-256, no salt, the info `onefix cloak`.
@Test func `keys are derived by HKDF, and each label gives a different key`() throws {
  let code = "721ff611817ab6c8bffbe63beb196d9d3b7f90f567c6a0cb69b37facd4dea942"
  #expect(key.derive("cloak").bytes.hexadecimal == code)
  #expect(key.derive("cloak").bytes != key.derive("Cloak").bytes)
}

@Test(arguments: [(0, "0"), (31, "31"), (33, "more than 32"), (100_000, "more than 32")])
func `a key file of a wrong size is rejected and never overwritten`(count: Int, length: String) throws {
  let directory = try TemporaryDirectory()
  let content = [UInt8](repeating: 5, count: count)
  try directory.write(content, to: "device.key")
  let error = try #require(throws: StoreError.self) { try DeviceKey(readingOrMaking: directory.path("device.key")) }
  #expect(error.kind == .damaged)
  #expect(error.operation == "use the device key")
  #expect(error.cause == "it has \(length) bytes, but 32 are needed")
  #expect(error.remedy != nil && directory.read("device.key") == content)
}

/// Each mode of the file, and whether a credential may have this mode.
@Test(arguments: [
  (mode_t(0o400), true), (0o440, true), (0o640, true), (0o460, false), (0o450, false), (0o444, false), (0o442, false),
  (0o441, false), (0o604, false), (0o620, false), (0o666, false), (0o610, false), (0o602, false), (0o601, false),
])
func `a key file that other users may read or write is rejected, and only a credential may have group read permission`(
  mode: mode_t, isTaken: Bool
) throws {
  let directory = try TemporaryDirectory()
  try directory.write([UInt8](repeating: 5, count: 32), to: "device.key", mode: mode)
  let path = directory.path("device.key")
  #expect(((try? DeviceKey(readingFrom: path, isCredential: true)) != nil) == isTaken)
  guard mode != 0o400 else {
    _ = try DeviceKey(readingFrom: path)
    return
  }
  let error = try #require(throws: StoreError.self) { try DeviceKey(readingOrMaking: path) }
  #expect(
    error.description
      == "cannot use the device key \(path): other users may read or write it (chmod 600 \(path); if another user "
      + "may have read it, lock the gateway and create a new key)")
  #expect(directory.mode("device.key") == mode)
}

@Test func `a path that is not a regular file is rejected as a key`() throws {
  let directory = try TemporaryDirectory()
  _ = try DeviceKey(readingOrMaking: directory.path("real.key"))
  _ = unsafe symlink(directory.path("real.key"), directory.path("link.key"))
  _ = unsafe mkfifo(directory.path("fifo.key"), 0o600)
  for (path, fault) in [
    (directory.path, "use the device key: it is not a regular file"),
    (directory.path("fifo.key"), "use the device key: it is not a regular file"),
    (directory.path("link.key"), "read the device key: too many levels of symbolic links"),
    (directory.path("no/device.key"), "create the device key: no such file or directory"),
  ] {
    let error = try #require(throws: StoreError.self) { try DeviceKey(readingOrMaking: path) }
    #expect("\(error.operation): \(error.cause)" == fault)
  }
}

@Test func `the description of a key does not contain its bytes`() throws {
  let secret = try #require(DeviceKey(bytes: [UInt8](repeating: 0xAB, count: 32)))
  var dumped = ""
  dump(secret, to: &dumped)
  for text in ["\(secret)", String(reflecting: secret), dumped, "\([secret])", "\(Optional(secret) as Any)"] {
    #expect(!text.contains("171") && !text.lowercased().contains("abab"))
    #expect(text.contains("not shown"))
  }
}
