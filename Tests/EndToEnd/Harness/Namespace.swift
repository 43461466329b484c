import Foundation
import Glibc
import Requirements
import Testing

/// Commands in namespaces of their own. Root creates them directly; another user creates them in a user namespace, in
/// which this user is root.
enum Namespace {
  /// The user of a command in a namespace, as the command sees it.
  static let user = 0

  /// Words before a command that gets the namespaces of the given options, for example `--mount`.
  static func words(_ options: String...) -> [String] { ["unshare"] + rootless + options }

  /// Words before a command that enters the network of a process.
  static func network(of process: pid_t) -> [String] {
    ["nsenter", "--target=\(process)", "--net"] + (getuid() == 0 ? [] : ["--user", "--preserve-credentials"])
  }

  private static var rootless: [String] { getuid() == 0 ? [] : ["--user", "--map-root-user"] }

  /// Whether the user of the tests can create namespaces: some kernels permit it to root alone.
  static let arePossible: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words("--mount", "--net") + ["mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()
}

extension Trait where Self == ConditionTrait {
  /// A test whose commands run in namespaces of their own.
  static var needsNamespaces: Self {
    .needs("root, or a kernel with namespaces for all users (sysctl user.max_user_namespaces)", Namespace.arePossible)
  }
}
