import Configuration
import Glibc

/// The character devices that the systemd unit of the daemon may open for reading and writing.
/// (systemd.resource-control(5), `DeviceAllow`)
package struct Sandbox: Hashable, Sendable {
  /// The shell patterns of allowed drivers, as in `tty*`. A pattern matches a driver's name in `/proc/devices` or a
  /// major number.
  package var drivers: [String] = []
  /// The paths of the devices that the unit allows one by one, as in `/dev/ttyS0`.
  package var devices: Set<String> = []

  func allows(_ file: DeviceFile) -> Bool {
    devices.contains(file.path)
      || drivers.contains { pattern in file.drivers.contains { unsafe fnmatch(pattern, $0, 0) == 0 } }
  }
}

extension Machine {
  /// Returns an error if the sandbox of the systemd service forbids the daemon to open a device; otherwise nil.
  /// - Parameter name: The name of the feature in messages, as in `the console`; nil for the receiver.
  func sandboxFinding(_ file: DeviceFile, _ name: String? = nil, at location: ConfigurationLocation) -> Finding? {
    guard let sandbox, let driver = file.driver, !sandbox.allows(file) else { return nil }
    return Finding(
      .sandboxDenied, at: location, ["title": Finding.title(name), "path": file.path, "driver": driver],
      repairs: [.allow(driver: driver)])
  }
}
