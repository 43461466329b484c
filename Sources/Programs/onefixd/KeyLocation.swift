import Features
import Glibc
import OperatingSystem
import StateStore

/// The options of the command line that select the files of the state.
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

  /// The path of the directory of the state, without slashes at the end. The key of a simulated board has the same path
  /// with the suffix `.key`.
  var directory: String {
    var path = state[...]
    while path.count > 1, path.last == "/" { path.removeLast() }
    return String(path)
  }

  func keyLocation(for subject: Subject) -> KeyLocation {
    KeyLocation(named: key, usual: subject.keyFile ?? "\(directory).key")
  }

  /// Returns the paths of the state, the device key and the anchor for the command `onefixd check`.
  /// - Parameter isService: Whether to assume the key of the system service (a credential of systemd) if no option
  ///   names a key.
  func files(for subject: Subject, isService: Bool = false) -> StateFiles {
    let location = keyLocation(for: subject)
    // The files of credentials are in memory. The service manager creates them from the usual file at each start.
    let isCredential = location.isCredential || isService && key == nil
    return StateFiles(
      state: directory, anchor: anchor ?? (isCredential ? KeyLocation.anchorOfCredential : location.anchor),
      key: isCredential ? subject.keyFile ?? location.path : location.path, isKeyCreated: !isCredential)
  }
}

/// The path of the device key. The path of the anchor (a file about the end of the log) follows from the path of the
/// key.
struct KeyLocation {
  /// The name of the credential with the key, which systemd passes to the service (systemd.exec(5), LoadCredential=).
  /// The option `--key` has precedence.
  static let credential = "onefix.key"
  /// The path of the anchor (a file about the end of the log) for a key that is a credential. The directory of a
  /// credential is read-only, so the anchor cannot be beside the key.
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

  /// Reads the key, or creates a new key if neither the file nor a state exists. A credential of the service manager is
  /// only read.
  ///
  /// Beside an existing state, no key is created: with another key, the gateway would deny every app, also after the
  /// return of the former key.
  ///
  /// - Parameters:
  ///   - state: The directory of the state.
  ///   - anchor: The path of the anchor (the file about the end of the disclosure log).
  /// - Throws: `StoreError`
  func keyOrNewOne(for state: String, _ anchor: String) throws(StoreError) -> DeviceKey {
    if isCredential { return try key() }
    guard StateStore.hasDatabase(in: state) else { return try DeviceKey(readingOrMaking: path) }
    do { return try key() } catch let error where error.kind == .absent {
      throw StoreError(
        .absent, "read the device key", path, cause: "no such file, and the state in \(state) needs its key",
        remedy: "restore the key, or name it with --key; without it, move \(state) and \(anchor) away and begin anew")
    }
  }

  /// The path of the anchor (the file about the end of the disclosure log). The anchor of a key `device.key` is the
  /// file `anchor` in the same folder. The anchor of any other key `NAME.key` is `NAME.anchor`. For a credential, the
  /// path is fixed.
  var anchor: String {
    if isCredential { return Self.anchorOfCredential }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[slash...]
    if name == "device.key" { return path[..<slash] + "anchor" }
    return path[..<slash] + (name.hasSuffix(".key") ? name.dropLast(4) : name) + ".anchor"
  }
}
