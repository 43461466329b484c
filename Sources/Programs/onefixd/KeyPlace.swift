import FoundationEssentials
import Glibc
import StateStore

/// Where the device's key is, and where the log is anchored beside it.
struct KeyPlace {
  /// The credential that is taken unless `--key` names another file. (systemd.exec(5), LoadCredential=)
  static let credential = "onefix.key"

  let path: String
  /// A service manager handed it over.
  let isCredential: Bool

  /// - Parameters:
  ///   - named: what the command line says.
  ///   - usual: where it is where nobody says anything.
  init(named: String?, usual: String) {
    let credentials = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"]
    let handedOver = credentials.map { "\($0)/\(Self.credential)" }
    let path = named ?? (handedOver.flatMap { unsafe access($0, F_OK) == 0 ? $0 : nil } ?? usual)
    self.path = path
    isCredential = credentials.map { path.hasPrefix($0 + "/") } ?? false
  }

  /// - Throws: `StoreError`
  func key() throws(StoreError) -> DeviceKey { try DeviceKey(readingFrom: path, isCredential: isCredential) }

  /// The key, which is made where there is none: a credential is the service manager's to make.
  /// - Throws: `StoreError`
  func keyOrNewOne() throws(StoreError) -> DeviceKey {
    isCredential ? try key() : try DeviceKey(readingOrMaking: path)
  }

  /// `anchor` beside the key, or, where the key has a name of its own, under that name. What a service manager hands over
  /// lies in a directory in which nothing can be written.
  var anchor: String {
    if isCredential { return "/var/lib/onefix-anchor/anchor" }
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let name = path[slash...]
    if name == "device.key" { return path[..<slash] + "anchor" }
    return path[..<slash] + (name.hasSuffix(".key") ? name.dropLast(4) : name) + ".anchor"
  }
}
