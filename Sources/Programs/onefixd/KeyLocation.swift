import Glibc
import Features
import OperatingSystem
import StateStore

/// The options that select the files of the state.
struct StateOptions {
  private let state: String
  let key: String?
  let anchor: String?

  static let options: [OptionTable.Option] = [
    .init("state", "FOLDER", "The directory of the state. (default: /var/lib/onefix)"),
    .init(
      "key", "FILE",
      """
      The device's key. (default: the service's credential \(KeyLocation.credential); otherwise /etc/onefix/device.key, \
      or on a simulated board a key that is created next to the state)
      """),
    .init(
      "anchor", "FILE",
      """
      The file of the log's anchor, outside of the state. (default: next to the device's key; \
      \(KeyLocation.anchorOfCredential) if the key is a credential)
      """),
  ]

  init(_ values: [String: String]) {
    state = values["state"] ?? "/var/lib/onefix"
    key = values["key"]
    anchor = values["anchor"]
  }

  /// The directory of the state, without trailing slashes. The path of a simulated board's key is this path with the
  /// suffix `.key`. Because the slashes are removed, the key is never in the directory itself.
  var directory: String {
    var path = state[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    return String(path)
  }

  func keyLocation(for subject: Subject) -> KeyLocation {
    KeyLocation(named: key, usual: subject.keyFile ?? "\(directory).key")
  }

  /// Returns the files that `onefixd check` examines.
  /// - Parameter isService: Whether to assume the options of the service, whose key is a credential, if the options do
  ///   not name a key.
  func files(for subject: Subject, isService: Bool = false) -> StateFiles {
    let location = keyLocation(for: subject)
    // The files of credentials are in memory. The service manager creates them from the usual file at each start.
    let isCredential = location.isCredential || isService && key == nil
    return StateFiles(
      state: directory, anchor: anchor ?? (isCredential ? KeyLocation.anchorOfCredential : location.anchor),
      key: isCredential ? subject.keyFile ?? location.path : location.path, isKeyCreated: !isCredential)
  }
}

/// The locations of the device's key and of the log's anchor, which reveals removed entries of the disclosure log.
struct KeyLocation {
  /// The name of the service manager's credential with the key. The option `--key` can select a different file.
  /// (systemd.exec(5), LoadCredential=)
  static let credential = "onefix.key"
  /// The path of the log's anchor if the key is a credential. The directory of a credential is read-only.
  static let anchorOfCredential = "/var/lib/onefix-anchor/anchor"

  let path: String
  let isCredential: Bool

  init(named: String?, usual: String) {
    let credentials = environmentVariable("CREDENTIALS_DIRECTORY")
    let handedOver = credentials.map { "\($0)/\(Self.credential)" }
    let path = named ?? (handedOver.flatMap { unsafe access($0, F_OK) == 0 ? $0 : nil } ?? usual)
    self.path = path
    isCredential = credentials.map { path.hasPrefix($0 + "/") } ?? false
  }

  func key() throws(StoreError) -> DeviceKey { try DeviceKey(readingFrom: path, isCredential: isCredential) }

  /// Reads the key. If the key does not exist, the function creates it, except for a credential of the service manager.
  /// - Throws: `StoreError`
  func keyOrNewOne() throws(StoreError) -> DeviceKey {
    isCredential ? try key() : try DeviceKey(readingOrMaking: path)
  }

  /// The path of the log's anchor. For a key with the name `device.key`, the anchor is the file `anchor` beside it.
  /// For a credential, the path is fixed. Otherwise, the name of the anchor is derived from the name of the key.
  var anchor: String {
    if isCredential { return Self.anchorOfCredential }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[slash...]
    if name == "device.key" { return path[..<slash] + "anchor" }
    return path[..<slash] + (name.hasSuffix(".key") ? name.dropLast(4) : name) + ".anchor"
  }
}
